"""Tests that with a wrong certificate, host name or password, errors name the setting that is wrong."""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
import trustme

from kit.settings import Settings
from kit.tls import trusted
from tests import otlp
from tests.eventually import eventually
from tests.forked_module import ForkedModule, run_module
from tests.running_stack import borrowed_offset, stack_environment
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
    environment: dict[str, str]
    named: dict[str, str]
    answer: Future[httpx2.Response]
    """The receiver's answer to logs, which arrives when the receiver no longer waits for Kafka."""

    def checks(self, process: str) -> dict[str, Any]:
        """Returns what /readyz says about each dependency, or nothing while the process does not listen yet."""
        try:
            answer = httpx2.get(f"{_url(self.settings, process)}/readyz", timeout=WAIT_SECONDS, verify=trusted())
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
    variables = stores.variables() | _wrong(request.param, stores, folder)
    # In a separate consumer group, this loader takes no partitions from the stack's loader.
    variables |= {"LOGSIEVE_LOADER_GROUP": "mistaken"}
    with ExitStack() as context:
        offset = context.enter_context(borrowed_offset())
        environment = stack_environment(secured.stack.home, offset, variables)
        for process in PORTS:
            context.enter_context(_process(process, folder / f"{process}.log", environment))
        settings = Settings(home=secured.stack.home, port_offset=offset)
        pool = context.enter_context(ThreadPoolExecutor(1))
        url = _url(settings, "receiver")
        answer = pool.submit(_sent, f"{url}/v1/logs", secured.stack.keys.ingest_key)
        yield Mistaken(settings, environment, NAMED[request.param], answer)


def test_readiness_names_the_setting(mistaken: Mistaken) -> None:
    dependencies_of = {"receiver": ["kafka"], "loader": ["kafka", "clickhouse"], "api": ["clickhouse"]}
    for process, dependencies in dependencies_of.items():
        eventually(
            lambda process=process, dependencies=dependencies: mistaken.names(process, *dependencies),  # type: ignore[misc]
            f"{process} names {mistaken.named}",
            WAIT_SECONDS,
        )


def test_the_doctor_names_the_setting(mistaken: Mistaken) -> None:
    done = run_module(("stack", "doctor", "--json"), mistaken.environment, WAIT_SECONDS)
    failed = {each["about"]: each["seen"] for each in json.loads(done.stdout) if each["level"] == "fail"}

    assert done.returncode == 1
    for about, setting in mistaken.named.items():
        assert setting in failed[about]


def test_logs_are_refused_rather_than_lost(mistaken: Mistaken) -> None:
    answer = mistaken.answer.result()

    assert answer.status_code == 503
    assert "Kafka" in answer.text
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


def _url(settings: Settings, process: str) -> str:
    return f"http://127.0.0.1:{settings.port(getattr(settings, PORTS[process]))}"


def _sent(url: str, key: str) -> httpx2.Response:
    """Sends a log as soon as the receiver listens, and returns the answer."""
    answers: list[httpx2.Response] = []

    def is_answered() -> bool:
        with suppress(httpx2.ConnectError):
            answers.append(otlp.send(url, key, otlp.request(otlp.record("never acknowledged"))))
        return answers != []

    eventually(is_answered, "the receiver answers", WAIT_SECONDS)
    return answers[0]


@contextmanager
def _process(name: str, log: Path, environment: dict[str, str]) -> Iterator[None]:
    process = ForkedModule(("stack", name), environment, log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)
