"""Finds the processes of a load test's own stack, reads their CPU time, and sends signals only to them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import psutil
from pydantic import BaseModel

from kit.clock import Clock
from kit.errors import Internal, Unavailable
from kit.topology import Place
from loadtest.process_stat import cpu_seconds
from loadtest.waiting import wait_until

RECEIVER: Final = "receiver"
LOADER: Final = "loader"
KAFKA: Final = "kafka"
CLICKHOUSE: Final = "clickhouse"
API: Final = "api"
PIPELINE: Final = (RECEIVER, KAFKA, LOADER, CLICKHOUSE)
"""The services that a record passes on its way into ClickHouse, in a stack with one process of each."""

_POLL_SECONDS: Final = 0.1


def node_name(place: Place) -> str:
    """Returns the name of the service that runs one ClickHouse server."""
    if place.replica:
        return f"{CLICKHOUSE}-{place.shard}-replica-{place.replica}"
    return f"{CLICKHOUSE}-{place.shard}" if place.shard else CLICKHOUSE


def loader_name(replica: int) -> str:
    """Returns the name of the service that fills one replica of the store."""
    return f"{LOADER}-{replica}" if replica else LOADER


class _Process(BaseModel):
    pid: int


class _Service(BaseModel):
    name: str
    phase: str
    process: _Process | None = None


class _State(BaseModel):
    """The fields of stack.json that load tests need. The supervisor writes this file."""

    supervisor: _Process
    services: tuple[_Service, ...]


@dataclass(frozen=True, slots=True)
class CpuSample:
    """CPU seconds that each service and its child processes have used since the service's process started."""

    pids: dict[str, int]
    seconds: dict[str, float]

    def since(self, earlier: Self) -> dict[str, float]:
        """Returns the CPU seconds of each service between two samples.

        Raises Internal if a service was restarted in between, because its count then started again from 0.
        """
        if self.pids != earlier.pids:
            raise Internal(f"a process ended during the measurement: {earlier.pids} became {self.pids}")
        return {name: self.seconds[name] - earlier.seconds[name] for name in self.seconds}


class Services:
    """The services of the stack that runs in `home`."""

    def __init__(self, home: Path) -> None:
        self._state_file = home / "stack.json"

    def pid(self, name: str) -> int:
        """Returns the pid of a service. Raises Unavailable while it has no process."""
        pid = self.pid_or_none(name)
        if pid is None:
            raise Unavailable(f"{name} has no process at the moment")
        return pid

    def pid_or_none(self, name: str) -> int | None:
        """Returns the pid of a service, or None while it has no process."""
        for service in self._read().services:
            if service.name == name and service.process is not None:
                return service.process.pid
        return None

    def pipeline(self) -> tuple[str, ...]:
        """Returns PIPELINE and all further brokers, ClickHouse nodes and loaders of the stack."""
        every = [service.name for service in self._read().services]
        further = (name for name in every if name.startswith((KAFKA, CLICKHOUSE, LOADER)))
        return tuple(dict.fromkeys((*PIPELINE, *further)))

    def ready(self, only: Sequence[str] = ()) -> bool:
        """Returns whether all services of `pipeline` are ready. With `only`, returns whether these services are."""
        phases = {service.name: service.phase for service in self._read().services}
        return all(phases.get(name) == "ready" for name in only or self.pipeline())

    def wait_until_ready(self, clock: Clock, seconds: float, only: Sequence[str] = ()) -> None:
        """Waits until `ready` returns true. Raises Unavailable if it does not after `seconds`."""
        wait_until(lambda: self.ready(only), clock, seconds, "the stack was not ready", _POLL_SECONDS)

    def wait_for_next_process(self, name: str, pid: int, clock: Clock, seconds: float) -> None:
        """Waits until the supervisor has started a process of a service with another pid than `pid`.

        Raises Unavailable if it has not after `seconds`.
        """
        wait_until(lambda: self.pid_or_none(name) not in (None, pid), clock, seconds, f"{name} was not started again")

    def kill(self, name: str) -> bool:
        """Ends a service's process with SIGKILL. Returns false if the service has no process now."""
        try:
            self.process(name).kill()
        except (Unavailable, psutil.NoSuchProcess):
            return False
        return True

    def cpu(self, names: Sequence[str]) -> CpuSample:
        """Returns the CPU time of services. Raises Unavailable or NotFound if one of them does not run."""
        pids = {name: self.pid(name) for name in names}
        return CpuSample(pids, cpu_seconds(pids))

    def process(self, name: str) -> psutil.Process:
        """Returns a service's current process. psutil sends no signal to another process that reuses the pid.

        Raises Unavailable if the service has no process now.
        """
        pid = self.pid(name)
        try:
            process = psutil.Process(pid)
            if process.ppid() != self._read().supervisor.pid:
                raise Unavailable(f"{name} has ended, and another process has its pid {pid}")
        except psutil.NoSuchProcess:
            raise Unavailable(f"{name} (pid {pid}) has just ended") from None
        return process

    @contextmanager
    def stopped(self, name: str) -> Iterator[psutil.Process]:
        """Stops a service's process (SIGSTOP) within the block, and lets it continue afterwards. Yields the process.

        Raises Unavailable if the service has no process now.
        """
        process = self.process(name)
        with suppress(psutil.NoSuchProcess):
            process.suspend()
        try:
            yield process
        finally:
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def _read(self) -> _State:
        return _State.model_validate_json(self._state_file.read_bytes())
