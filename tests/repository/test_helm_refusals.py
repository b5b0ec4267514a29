"""Tests that the chart in deploy/helm refuses values with which its pods could not work."""

import pytest

from kit.settings import Settings
from stack.generate.setting_list import setting_lines
from tests.helm_chart import EXAMPLE, MINIMAL, render, with_helm


@with_helm
def test_a_replica_without_loaders_is_refused() -> None:
    done = render(*MINIMAL, "--set=settings.LOGSIEVE_CLICKHOUSE_URL=http://a|http://b")

    assert done.returncode != 0
    assert "names 2 replicas of each shard, and loader.storeReplicas is 1: set loader.storeReplicas to 2" in done.stderr


@with_helm
@pytest.mark.parametrize(
    "name",
    [
        "LOGSIEVE_ALERTS_PORT",
        "LOGSIEVE_API_PORT",
        "LOGSIEVE_HOME",
        "LOGSIEVE_LOADER_PORT",
        "LOGSIEVE_LOADER_REPLICA",
        "LOGSIEVE_OTLP_GRPC_PORT",
        "LOGSIEVE_OTLP_HTTP_PORT",
        "LOGSIEVE_PORT_OFFSET",
        "LOGSIEVE_SECRETS_DIR",
    ],
)
def test_settings_that_the_chart_relies_on_are_refused(name: str) -> None:
    assert name in {line.variable for line in setting_lines(Settings())} | {"LOGSIEVE_SECRETS_DIR"}

    done = render(*MINIMAL, f"--set=settings.{name}=1")

    assert done.returncode != 0
    assert f"settings.{name} cannot be set, because" in done.stderr


@with_helm
@pytest.mark.parametrize(("process", "setting"), [("receiver", "RECEIVER_WORKERS"), ("api", "API_WORKERS")])
def test_workers_whose_metrics_nothing_would_scrape_are_refused(process: str, setting: str) -> None:
    done = render(EXAMPLE, f"--set=settings.LOGSIEVE_{setting}=2")

    assert done.returncode != 0
    assert f"raise {process}.replicas instead" in done.stderr
    assert render(EXAMPLE, f"--set=settings.LOGSIEVE_{setting}=1").returncode == 0
