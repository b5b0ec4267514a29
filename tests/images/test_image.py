"""Runs the services of docker-compose.yml from the built image, and finds a log that was sent to them.

ClickHouse and Kafka are those that `up` starts, and PostgreSQL is this machine's, because there is no registry of
images and no container runtime where the project is developed. `make images` builds the image and runs this file.
"""

import os
import re
import secrets
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest
import yaml

from kit.folders import PACKAGES
from kit.free_ports import free_ports
from kit.settings import Settings
from tests.control_database import OWNER, PostgreSQL, postgresql_server
from tests.eventually import eventually
from tests.images.container import Container, container_of, stop
from tests.running_stack import DOWN_SECONDS, logsieve
from tests.stack.small_stack import SmallStack, small_stack

IMAGE: Final = os.environ.get("LOGSIEVE_TEST_IMAGE", "")
SERVICES: Final[dict[str, dict[str, Any]]] = {
    name: service
    for name, service in yaml.safe_load((PACKAGES / "docker-compose.yml").read_text())["services"].items()
    if "build" in service
}
"""Services of docker-compose.yml that run our image."""

PROCESSES: Final = tuple(name for name, service in SERVICES.items() if "healthcheck" in service)
ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM
"""Exit code of tini for uvicorn, which ends itself by the signal that it got once requests are answered."""

WAIT_SECONDS = 60.0

pytestmark = pytest.mark.skipif(not IMAGE, reason="no image was built: `make images` builds one and runs this test")


@dataclass(frozen=True, slots=True)
class Composed:
    """The services of the compose file in one container."""

    container: Container
    environment: Mapping[str, str]
    offset: int
    processes: Mapping[str, "subprocess.Popen[bytes]"]
    files_before: Mapping[str, float]

    def url(self, port: int) -> str:
        return f"http://127.0.0.1:{port + self.offset}"

    def is_healthy(self, service: str) -> bool:
        """Runs the health check of the compose file in the container."""
        kind, *command = SERVICES[service]["healthcheck"]["test"]
        assert kind == "CMD"
        return self.container.succeeds([self._with_offset(part) for part in command])

    def _with_offset(self, text: str) -> str:
        return re.sub(r"(?<=127\.0\.0\.1:)\d+", lambda port: str(int(port[0]) + self.offset), text)


@pytest.fixture(scope="module")
def postgresql_over_tcp() -> Iterator[PostgreSQL]:
    port = str(free_ports(1)[0])
    with postgresql_server({"listen_addresses": "127.0.0.1", "port": port}, {}) as server:
        server.execute("CREATE DATABASE logsieve")
        yield server


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStack]:
    """Yields running ClickHouse and Kafka."""
    stack = small_stack(tmp_path_factory.mktemp("stores") / "home")
    try:
        done = stack.logsieve("up", "clickhouse", "kafka")
        assert done.returncode == 0, done.stderr
        yield stack
    finally:
        done = logsieve(stack.home, stack.offset, "down", seconds=DOWN_SECONDS)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def composed(
    stores: SmallStack, postgresql_over_tcp: PostgreSQL, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Composed]:
    logs = tmp_path_factory.mktemp("logs")
    environment = environment_of(stores, postgresql_over_tcp)
    with container_of(IMAGE) as container:
        before = container.files()
        container.run(*SERVICES["migrate"]["command"], environment=environment)
        processes = {
            name: container.start(SERVICES[name]["command"][0], environment, logs / f"{name}.log") for name in PROCESSES
        }
        found = Composed(container, environment, stores.offset, processes, before)
        try:
            yield found
        finally:
            for name, process in processes.items():
                stop(process, name)
            codes = {name: process.wait(WAIT_SECONDS) for name, process in processes.items()}
            wanted = dict.fromkeys(PROCESSES, 0) | {"api": ENDED_BY_SIGTERM}
            assert codes == wanted, {name: (logs / f"{name}.log").read_text() for name in codes}


def environment_of(stores: SmallStack, postgresql: PostgreSQL) -> dict[str, str]:
    """Returns the compose file's environment, with the addresses and passwords of these servers."""
    settings = Settings(home=stores.home, port_offset=stores.offset)
    places = {
        "http://clickhouse:8123": settings.clickhouse_http_url,
        "kafka:9092": f"127.0.0.1:{settings.port(settings.kafka_port)}",
        "@postgres/": f"@127.0.0.1:{postgresql.port}/",
        "0.0.0.0": "127.0.0.1",
        "${LOGSIEVE_CLICKHOUSE_PASSWORD:?choose one}": settings.clickhouse_secret,
        "${LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD:?choose one}": settings.clickhouse_query_secret,
        "${POSTGRES_PASSWORD:?choose one of letters and digits}": "any",
    }
    environment = dict[str, str]()
    for name, value in SERVICES["migrate"]["environment"].items():
        for place, real in places.items():
            value = value.replace(place, real)
        environment[name] = value
    assert OWNER in environment["LOGSIEVE_CONTROL_URL"]
    return environment | {
        "LOGSIEVE_PORT_OFFSET": str(stores.offset),
        # Only brokers that `up` starts need a password.
        "LOGSIEVE_KAFKA_SECURITY": "SASL_PLAINTEXT",
        "LOGSIEVE_KAFKA_PASSWORD": settings.kafka_secret,
    }


@pytest.mark.parametrize("name", PROCESSES)
def test_each_service_passes_its_health_check(composed: Composed, name: str) -> None:
    eventually(lambda: composed.is_healthy(name), f"{name} is healthy", WAIT_SECONDS)


def test_a_log_that_is_sent_is_found(composed: Composed) -> None:
    run, settings, word = composed.container.run, Settings(), f"word{secrets.token_hex(8)}"
    run("tenant", "create", "acme", environment=composed.environment)
    ingest, query = (
        run("key", "create", "acme", purpose, environment=composed.environment).split()[-1]
        for purpose in ("ingest", "query")
    )
    record = {"body": {"stringValue": f"a log with {word}"}}
    request = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}

    def post() -> bool:
        url = f"{composed.url(settings.otlp_http_port)}/v1/logs"
        return httpx2.post(url, json=request, headers={"Authorization": f"Bearer {ingest}"}).status_code == 200

    def found() -> bool:
        url = f"{composed.url(settings.api_port)}/api/v1/logs/search"
        answer = httpx2.get(url, params={"query": word}, headers={"Authorization": f"Bearer {query}"})
        return answer.status_code == 200 and word in answer.text

    eventually(post, "the receiver accepts the record", WAIT_SECONDS)
    eventually(found, "the record is found", WAIT_SECONDS)


def test_the_web_ui_is_served(composed: Composed) -> None:
    answer = httpx2.get(composed.url(Settings().api_port))
    assert answer.status_code == 200
    assert "<div id=" in answer.text


def test_nothing_is_written_where_the_file_system_may_be_read_only(composed: Composed) -> None:
    assert composed.container.files() == composed.files_before
