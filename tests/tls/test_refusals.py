"""Tests that with a wrong certificate, host name or password, errors name the setting that is wrong."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
import trustme

from kit.settings import Settings
from kit.tls import trusted
from tests.eventually import eventually
from tests.forked_module import ForkedModule
from tests.running_stack import free_offset, logsieve
from tests.tls.certificates import write_authority
from tests.tls.conftest import HOST, WAIT_SECONDS, Secured, Stores

PORTS: Final = {"receiver": "otlp_http_port", "loader": "loader_port", "api": "api_port"}
"""Logsieve's processes, each with the setting of the port that serves /readyz."""

NAMED: Final = {
    "another authority": {"kafka": "LOGSIEVE_KAFKA_CA_FILE", "clickhouse": "LOGSIEVE_CLICKHOUSE_CA_FILE"},
    "another host": {"kafka": "LOGSIEVE_KAFKA_BOOTSTRAP", "clickhouse": "LOGSIEVE_CLICKHOUSE_URL"},
    "another password": {"kafka": "LOGSIEVE_KAFKA_PASSWORD", "clickhouse": "LOGSIEVE_CLICKHOUSE_PASSWORD"},
}
"""Mistakes, each with the settings that errors about Kafka and ClickHouse must name."""


@dataclass(frozen=True, slots=True)
class Mistaken:
    """Processes with a wrong setting for Kafka and for ClickHouse. `named` has the settings that errors must name."""

    settings: Settings
    variables: dict[str, str]
    named: dict[str, str]

    def url(self, process: str) -> str:
        return f"http://127.0.0.1:{self.settings.port(getattr(self.settings, PORTS[process]))}"

    def checks(self, process: str) -> dict[str, Any]:
        """Returns what /readyz says about each dependency, or nothing while the process does not listen yet."""
        try:
            answer = httpx2.get(f"{self.url(process)}/readyz", timeout=WAIT_SECONDS, verify=trusted())
        except httpx2.TransportError:
            return {}
        checks: dict[str, Any] = answer.json()["checks"]
        return checks

    def names(self, process: str, *dependencies: str) -> bool:
        checks = self.checks(process)
        return all(self.named[each] in checks.get(each, "") for each in dependencies)


@pytest.fixture(scope="module", params=list(NAMED))
def mistaken(
    request: pytest.FixtureRequest, secured: Secured, stores: Stores, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mistaken]:
    """Yields a receiver, a loader and an API that use the stack's control plane, but ports of their own."""
    folder = tmp_path_factory.mktemp("wrong")
    offset = free_offset()
    variables = stores.variables() | _wrong(request.param, stores, folder)
    # In a separate consumer group, this loader takes no partitions from the stack's loader.
    variables |= {"LOGSIEVE_LOADER_GROUP": "mistaken"}
    own = {"LOGSIEVE_HOME": str(secured.stack.home), "LOGSIEVE_PORT_OFFSET": str(offset)}
    with ExitStack() as processes:
        for process in PORTS:
            processes.enter_context(_process(process, folder / f"{process}.log", variables | own))
        yield Mistaken(Settings(home=secured.stack.home, port_offset=offset), variables, NAMED[request.param])


def test_readiness_names_the_setting(mistaken: Mistaken) -> None:
    dependencies_of = {"receiver": ["kafka"], "loader": ["kafka", "clickhouse"], "api": ["clickhouse"]}
    for process, dependencies in dependencies_of.items():
        eventually(
            lambda process=process, dependencies=dependencies: mistaken.names(process, *dependencies),  # type: ignore[misc]
            f"{process} names {mistaken.named}",
            WAIT_SECONDS,
        )


def test_the_doctor_names_the_setting(mistaken: Mistaken) -> None:
    own = mistaken.settings
    done = logsieve(own.home, own.port_offset, "doctor", "--json", seconds=WAIT_SECONDS, **mistaken.variables)
    failed = {each["about"]: each["seen"] for each in json.loads(done.stdout) if each["level"] == "fail"}

    assert done.returncode == 1
    for about, setting in mistaken.named.items():
        assert setting in failed[about]


def test_logs_are_refused_rather_than_lost(mistaken: Mistaken, secured: Secured) -> None:
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "never acknowledged"}}]}]}]}
    headers = {"authorization": f"Bearer {secured.stack.keys.ingest_key}"}
    answer = httpx2.post(
        f"{mistaken.url('receiver')}/v1/logs", json=body, headers=headers, timeout=WAIT_SECONDS, verify=trusted()
    )

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1


def _wrong(what: str, stores: Stores, folder: Path) -> dict[str, str]:
    if what == "another authority":
        other = str(write_authority(folder, "other", trustme.CA()))
        return {"LOGSIEVE_KAFKA_CA_FILE": other, "LOGSIEVE_CLICKHOUSE_CA_FILE": other}
    if what == "another host":
        right = stores.variables()
        return {
            name: right[name].replace(HOST, "127.0.0.1")
            for name in ("LOGSIEVE_KAFKA_BOOTSTRAP", "LOGSIEVE_CLICKHOUSE_URL")
        }
    return dict.fromkeys(stores.passwords, "wrong")


@contextmanager
def _process(name: str, log: Path, variables: dict[str, str]) -> Iterator[None]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    process = ForkedModule(("stack", name), clean | variables, log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)
