"""Starts stacks by `logsieve up` on free ports, and stops them by `logsieve down`."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2

from kit.settings import Settings
from kit.tls import trusted
from schema.demo_keys import DemoKeys
from stack.ports import PortNeed, claim_offset, release_offset
from stack.services import services
from tests.forked_module import ForkedModule, run_module

UP_SECONDS: Final = 240
DOWN_SECONDS: Final = 200
INTERRUPTED_SECONDS: Final = 100
READY_SECONDS: Final = 60.0
OVER_SHARDS: Final = {"LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND": "1"}
"""Settings with which every message goes to a random partition, so that a tenant with many messages is on all
shards."""
_FIRST_BORROWED: Final = 4350
"""First port of `borrowed_ports` without an offset. No port of a stack has the same last two digits, so that another
offset, a multiple of 100, makes no other port the same."""
_running: Final[set[Path]] = set()


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: its folder, addresses and keys. `settings` are those of its processes."""

    home: Path
    settings: Settings
    ui_url: str
    api_url: str
    otlp_http_url: str
    otlp_grpc_endpoint: str
    clickhouse_url: str
    kafka_brokers: str
    keys: DemoKeys

    def logsieve(self, *arguments: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Runs a `logsieve` command for this stack. Does not check its exit code."""
        nodes = _nodes(self.settings.clickhouse_nodes, self.settings.clickhouse_replicas)
        environment = stack_environment(self.home, self.settings.port_offset, nodes)
        return run_module(("stack", *arguments), environment, seconds)

    @contextmanager
    def hanging(self, service: str) -> Iterator[None]:
        """Stops the service's process by SIGSTOP while the block runs."""
        pid = self.pid(service)
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def broker_variables(self) -> dict[str, str]:
        """Returns the variables with which a process at another port offset uses this stack's Kafka broker."""
        return {"LOGSIEVE_KAFKA_BOOTSTRAP": self.kafka_brokers, "LOGSIEVE_KAFKA_SECURITY": "SASL_PLAINTEXT"}

    def pid(self, service: str) -> int:
        """Returns the process id of a service."""
        services = json.loads(self.logsieve("status", "--json").stdout)["services"]
        return int(next(each["pid"] for each in services if each["name"] == service))


def logsieve(
    home: Path, offset: int, *arguments: str, seconds: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a `logsieve` command for a home, with the LOGSIEVE_ variables of `environment` instead of the caller's.

    A command that still runs after `seconds` is interrupted, so that a study can stop the stack that it has started.
    """
    command = [sys.executable, "-m", "stack", *arguments]
    with subprocess.Popen(
        command,
        env=stack_environment(home, offset, environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=INTERRUPTED_SECONDS)
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def start_stack(home: Path, *options: str, nodes: int | tuple[int, int] = 1, **environment: str) -> Stack:
    """Runs `logsieve up`, which returns when the stack is ready. A stack that already runs for this home is used.

    `nodes` counts shards, or shards and the replicas of each.
    """
    shards, replicas = (nodes, 1) if isinstance(nodes, int) else nodes
    environment |= _nodes(shards, replicas) | {"LOGSIEVE_WRONG_KEYS_PER_MINUTE": "100000"}
    _running.add(home)
    offset = _running_offset(home)
    if offset is None:
        offset = free_offset()
    done = logsieve(home, offset, "up", "--json", *options, seconds=UP_SECONDS, **environment)
    assert done.returncode == 0, f"logsieve up failed:\n{done.stderr}\n{done.stdout}"
    summary: dict[str, Any] = json.loads(done.stdout)
    return Stack(
        home=home,
        settings=Settings(home=home, port_offset=offset, clickhouse_nodes=shards, clickhouse_replicas=replicas),
        ui_url=summary["ui_url"],
        api_url=summary["api_url"],
        otlp_http_url=summary["otlp_http_url"],
        otlp_grpc_endpoint=summary["otlp_grpc_endpoint"],
        clickhouse_url=summary["clickhouse_url"],
        kafka_brokers=summary["kafka_brokers"],
        keys=DemoKeys.model_validate(summary["keys"]),
    )


def stop_stack(home: Path) -> None:
    """Runs `logsieve down`. Fails the test if a process is still running."""
    done = logsieve(home, 0, "down", seconds=DOWN_SECONDS)
    assert done.returncode == 0, done.stderr
    _running.discard(home)


def running_homes() -> Sequence[Path]:
    """Returns the folders of the stacks that this process has started and not yet stopped."""
    return sorted(_running)


def free_offset() -> int:
    """Claims a port offset at which all ports of a stack are free, and which no other test run has claimed."""
    return claim_offset(every_port())


@contextmanager
def borrowed_offset() -> Iterator[int]:
    """Yields a claimed port offset for servers that end with the block, and releases it afterwards."""
    offset = free_offset()
    try:
        yield offset
    finally:
        release_offset(offset)


@contextmanager
def borrowed_ports(count: int) -> Iterator[Sequence[int]]:
    """Yields claimed ports of 127.0.0.1 for programs that end with the block, and releases them afterwards. No stack
    uses these ports, and the system gives none of them to an outgoing connection."""
    first = range(_FIRST_BORROWED, _FIRST_BORROWED + count)
    offset = claim_offset([PortNeed("127.0.0.1", port, "a test", "its program", "none") for port in first])
    try:
        yield [port + offset for port in first]
    finally:
        release_offset(offset)


def answers_ok(url: str) -> bool:
    """Returns true if a GET of this URL is answered 200."""
    try:
        return httpx2.get(url, timeout=5, verify=trusted()).status_code == 200
    except httpx2.TransportError:
        return False


def wait_until_ready(process: ForkedModule, is_ready: Callable[[], bool], log: Path) -> None:
    """Waits until a process is ready. Fails the test with the process's log if it ends, or after READY_SECONDS."""
    deadline = time.monotonic() + READY_SECONDS
    while not is_ready():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def every_port() -> list[PortNeed]:
    """Returns all ports of a stack with three brokers at port offset 0."""
    return [need for service in services(Settings(port_offset=0, kafka_nodes=3)) for need in service.ports]


def stack_environment(home: Path, offset: int, more: Mapping[str, str]) -> dict[str, str]:
    """Returns the caller's variables without its LOGSIEVE_ variables, with those of a home, an offset and `more`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    return {**clean, "LOGSIEVE_HOME": str(home), "LOGSIEVE_PORT_OFFSET": str(offset), **more}


def _nodes(shards: int, replicas: int) -> dict[str, str]:
    return {"LOGSIEVE_CLICKHOUSE_NODES": str(shards), "LOGSIEVE_CLICKHOUSE_REPLICAS": str(replicas)}


def _running_offset(home: Path) -> int | None:
    try:
        offset: int = json.loads((home / "stack.json").read_text())["port_offset"]
    except FileNotFoundError:
        return None
    return offset
