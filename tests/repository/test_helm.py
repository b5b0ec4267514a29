"""Tests that the chart in deploy/helm uses existing settings, commands, ports and values.

`scripts/check-deploy` also renders the chart with helm and validates it by Kubernetes' schemas.
"""

import re
import shutil
import subprocess
import tomllib
from typing import Any, Final

import pytest
import yaml

from ingest.receiver.listen import DRAIN_SECONDS as RECEIVER_SECONDS
from kit.folders import PACKAGES
from kit.settings import Settings
from stack.cli.commands import COMMANDS
from stack.setting_list import setting_lines

CHART: Final = PACKAGES / "deploy" / "helm" / "logsieve"
VALUES: Final[dict[str, Any]] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: Final[dict[str, Any]] = yaml.safe_load((CHART / "values.schema.json").read_text())
TEMPLATES: Final = {path.name: path.read_text() for path in sorted((CHART / "templates").iterdir())}
ALL: Final = "\n".join(TEMPLATES.values())
PROCESSES: Final = ("receiver", "loader", "api", "alerts")
VARIABLES: Final = {line.variable for line in setting_lines(Settings())}

EXAMPLE: Final = [
    "--set=settings.LOGSIEVE_CLICKHOUSE_URL=http://clickhouse:8123",
    "--set=settings.LOGSIEVE_KAFKA_BOOTSTRAP=kafka:9092",
    "--set=secrets.values.control_url=postgresql+asyncpg://a:b@postgres/logsieve",
]


def test_every_value_that_templates_use_is_there() -> None:
    used = set(re.findall(r"\.Values((?:\.\w+)+)", ALL))

    assert used
    for path in used:
        value: Any = VALUES
        for name in path.strip(".").split("."):
            assert isinstance(value, dict), path
            assert name in value, path
            value = value[name]


def test_every_part_that_templates_include_is_defined() -> None:
    defined = re.findall(r'define "([\w.]+)"', ALL)

    assert set(re.findall(r'include "([\w.]+)"', ALL)) == set(defined)
    assert len(defined) == len(set(defined))


@pytest.mark.parametrize("name", TEMPLATES)
def test_blocks_of_templates_end(name: str) -> None:
    actions = re.findall(r"\{\{-?\s*(if|range|with|define|end)\b", TEMPLATES[name])

    assert actions.count("end") == len(actions) - actions.count("end")


def test_every_setting_is_one() -> None:
    named = {*VALUES["settings"], *re.findall(r"LOGSIEVE_[A-Z_]+", ALL)}
    secrets = {f"LOGSIEVE_{name.upper()}" for name in VALUES["secrets"]["values"]}

    assert named - {"LOGSIEVE_SECRETS_DIR"} <= VARIABLES
    assert secrets <= VARIABLES


def test_the_schema_knows_every_value_of_a_process() -> None:
    known = set(SCHEMA["definitions"]["process"]["properties"])

    assert {name for process in PROCESSES for name in VALUES[process]} == known
    assert all(re.fullmatch(SCHEMA["properties"]["settings"]["propertyNames"]["pattern"], name) for name in VARIABLES)


@pytest.mark.parametrize("process", ["migrate", *PROCESSES])
def test_processes_are_commands_of_ours(process: str) -> None:
    assert f'"process" "{process}" "values" .Values.{process} ' in TEMPLATES[f"{process}.yaml"]
    assert process in COMMANDS
    assert "args: [{{ .process }}]" in TEMPLATES["_pod.tpl"]


def test_ports_are_ours() -> None:
    settings = Settings()
    expected = {
        "receiver": {settings.otlp_grpc_port, settings.otlp_http_port},
        "loader": {settings.loader_port},
        "api": {settings.api_port},
        "alerts": {settings.alerts_port},
    }

    for process, ports in expected.items():
        text = TEMPLATES[f"{process}.yaml"]
        (opened,) = re.findall(r'"ports" \(dict ([^)]+)\)', text)
        assert {int(each) for each in re.findall(r" (\d+)", opened)} == ports
        # Nothing sends requests to alert workers, so they have no Service.
        served = set() if process == "alerts" else ports
        assert {int(each) for each in re.findall(r" port: (\d+)", text)} == served
        (probed,) = re.findall(r'"port" (\d+)', text)
        assert int(probed) == (settings.otlp_http_port if process == "receiver" else max(ports))


def test_processes_have_the_time_that_a_stop_takes() -> None:
    grace = {
        process: int(re.findall(r"terminationGracePeriodSeconds: (\d+)", TEMPLATES[f"{process}.yaml"])[0])
        for process in PROCESSES
    }
    (pause,) = re.findall(r'command: \[sleep, "(\d+)"\]', TEMPLATES["_pod.tpl"])

    assert grace["receiver"] > int(pause) + RECEIVER_SECONDS
    assert min(grace.values()) >= 30


def test_containers_may_change_nothing_and_have_no_variables_of_services() -> None:
    assert "enableServiceLinks: false" in TEMPLATES["_pod.tpl"]
    assert "readOnlyRootFilesystem: true" in TEMPLATES["_pod.tpl"]
    assert "runAsNonRoot: true" in TEMPLATES["_pod.tpl"]
    assert "capabilities: { drop: [ALL] }" in TEMPLATES["_pod.tpl"]


def test_the_chart_is_of_this_release() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = tomllib.loads((PACKAGES / "pyproject.toml").read_text())["project"]

    assert chart["appVersion"] == chart["version"] == project["version"]


@pytest.mark.skipif(shutil.which("helm") is None, reason="this machine has no helm")
def test_helm_renders_the_chart() -> None:
    # A helm that `go install` built takes an old release of Kubernetes for the newest one.
    command = [
        "helm",
        "template",
        "logs",
        str(CHART),
        "--kube-version=1.30.0",
        "--set=image.digest=sha256:ab",
        *EXAMPLE,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    images = re.findall(r"image: \"?([^\"\n]+)", done.stdout)
    assert images
    assert all(image.endswith("@sha256:ab") for image in images)
    kinds = {each["kind"] for each in yaml.safe_load_all(done.stdout) if each}
    assert {"Deployment", "StatefulSet", "Job", "Secret", "ConfigMap", "Service", "PodDisruptionBudget"} <= kinds
