"""Runs the services of both compose files from the built image, and checks that a log that was sent is found.

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
from functools import partial
from typing import Final

import httpx2
import pytest

from kit.free_ports import free_ports
from kit.settings import Settings
from stack.broker.node import brokers
from stack.services import services
from tests.compose_file import CLUSTER, COMPOSE_FILES, ComposeFile
from tests.control_database import PostgreSQL, postgresql_server
from tests.eventually import eventually
from tests.images.container import Container, container_of, stop
from tests.running_stack import DOWN_SECONDS, logsieve
from tests.stack.small_stack import SmallStack, small_stack

IMAGE: Final = os.environ.get("LOGSIEVE_TEST_IMAGE", "")
ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM
"""Exit code of tini after SIGTERM to uvicorn, which answers open requests and then ends itself by the same signal."""

WAIT_SECONDS = 60.0

pytestmark = pytest.mark.skipif(not IMAGE, reason="no image was built: `make images` builds one and runs this test")


@dataclass(frozen=True, slots=True)
class Composed:
    """The services of a compose file in one container."""

    file: ComposeFile
    container: Container
    environment: Mapping[str, str]
    offset: int
    files_before: Mapping[str, float]

    def url(self, port: int) -> str:
        return f"http://127.0.0.1:{port + self.offset}"

    def is_healthy(self, service: str) -> bool:
        """Runs the health check of the service in the container."""
        kind, *command = self.file.ours[service]["healthcheck"]["test"]
        assert kind == "CMD"
        return self.container.succeeds([self._with_offset(part) for part in command])

    def _with_offset(self, text: str) -> str:
        return re.sub(r"(?<=127\.0\.0\.1:)\d+", lambda port: str(int(port[0]) + self.offset), text)


@pytest.fixture(scope="module")
def postgresql_over_tcp() -> Iterator[PostgreSQL]:
    port = str(free_ports(1)[0])
    with postgresql_server({"listen_addresses": "127.0.0.1", "port": port}, {}) as server:
        yield server


@pytest.fixture(scope="module", params=COMPOSE_FILES, ids=str)
def file(request: pytest.FixtureRequest) -> ComposeFile:
    found: ComposeFile = request.param
    return found


@pytest.fixture(scope="module")
def stores(file: ComposeFile, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStack]:
    """Yields running servers of ClickHouse and Kafka, as many as the compose file has."""
    stack = small_stack(tmp_path_factory.mktemp("stores") / "home")
    shards, replicas, kafka_nodes = (2, 2, 3) if file is CLUSTER else (1, 1, 1)
    settings = Settings(
        home=stack.home,
        port_offset=stack.offset,
        clickhouse_nodes=shards,
        clickhouse_replicas=replicas,
        kafka_nodes=kafka_nodes,
    )
    names = [each.name for each in services(settings) if each.name.startswith(("clickhouse", "kafka"))]
    size = (f"--shards={shards}", f"--replicas={replicas}", f"--brokers={kafka_nodes}")
    try:
        done = stack.logsieve("up", *size, *names)
        assert done.returncode == 0, done.stderr
        yield stack
    finally:
        done = logsieve(stack.home, stack.offset, "down", seconds=DOWN_SECONDS)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def composed(
    file: ComposeFile,
    stores: SmallStack,
    postgresql_over_tcp: PostgreSQL,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Composed]:
    logs = tmp_path_factory.mktemp("logs")
    database = f"compose_{secrets.token_hex(4)}"
    postgresql_over_tcp.execute(f"CREATE DATABASE {database}")
    environments = {name: environment_of(file, name, stores, database, postgresql_over_tcp.port) for name in file.ours}
    processes = dict[str, "subprocess.Popen[bytes]"]()
    with container_of(IMAGE) as container:
        before = container.files()
        container.run(*file.ours["migrate"]["command"], environment=environments["migrate"])
        try:
            for name in file.ours.keys() - {"migrate"}:
                command = file.ours[name]["command"][0]
                processes[name] = container.start(command, environments[name], logs / f"{name}.log")
            yield Composed(file, container, environments["migrate"], stores.offset, before)
        finally:
            for name, process in processes.items():
                stop(process, file.ours[name]["command"][0])
            codes = {name: process.wait(WAIT_SECONDS) for name, process in processes.items()}
            wanted = dict.fromkeys(processes, 0) | {"api": ENDED_BY_SIGTERM}
            assert codes == wanted, {name: (logs / f"{name}.log").read_text() for name in codes}


def environment_of(file: ComposeFile, name: str, stores: SmallStack, database: str, port: int) -> dict[str, str]:
    """Returns the environment of a service, with the addresses and passwords of these servers."""
    settings = Settings(home=stores.home, port_offset=stores.offset)
    places = {
        "@postgres/logsieve": f"@127.0.0.1:{port}/{database}",
        "0.0.0.0": "127.0.0.1",
        "${LOGSIEVE_CLICKHOUSE_PASSWORD:?choose one}": settings.clickhouse_secret,
        "${LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD:?choose one}": settings.clickhouse_query_secret,
        "${POSTGRES_PASSWORD:?choose one of letters and digits}": "any",
    }
    clickhouse, kafka = ([each for each in file.images if each.startswith(kind)] for kind in ("clickhouse", "kafka"))
    urls = [settings.topology.url(place) for place in settings.topology.places]
    places |= {f"http://{each}:8123": url for each, url in zip(clickhouse, urls, strict=True)}
    ports = [broker.client_port for broker in brokers(settings)]
    places |= {f"{each}:9092": f"127.0.0.1:{port}" for each, port in zip(kafka, ports, strict=True)}
    environment = dict[str, str]()
    for variable, value in file.ours[name]["environment"].items():
        for place, real in places.items():
            value = value.replace(place, real)
        environment[variable] = value
    return environment | {
        "LOGSIEVE_PORT_OFFSET": str(stores.offset),
        # Only brokers that `up` starts need a password.
        "LOGSIEVE_KAFKA_SECURITY": "SASL_PLAINTEXT",
        "LOGSIEVE_KAFKA_PASSWORD": settings.kafka_secret,
    }


def test_each_service_passes_its_health_check(composed: Composed) -> None:
    for name, service in composed.file.ours.items():
        if "healthcheck" in service:
            eventually(partial(composed.is_healthy, name), f"{name} is healthy", WAIT_SECONDS)


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
