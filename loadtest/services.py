"""The processes of a load test's own stack: their ids, their CPU time, and signals to them alone."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel

from kit.clock import Clock
from kit.errors import Internal, NotFound, Unavailable
from loadtest.process_stat import family_cpu_seconds, parent

RECEIVER: Final = "receiver"
LOADER: Final = "loader"
KAFKA: Final = "kafka"
CLICKHOUSE: Final = "clickhouse"
PIPELINE: Final = (RECEIVER, KAFKA, LOADER, CLICKHOUSE)
"""All services that a record passes on its way."""

_POLL_SECONDS: Final = 0.1


def pipeline(nodes: int) -> tuple[str, ...]:
    """Returns all services that a record passes where ClickHouse has `nodes` nodes."""
    return (*PIPELINE, *(f"{CLICKHOUSE}-{node}" for node in range(1, nodes)))


class _Process(BaseModel):
    pid: int


class _Service(BaseModel):
    name: str
    phase: str
    process: _Process | None = None


class _State(BaseModel):
    """Part of stack.json, which the supervisor writes."""

    supervisor: _Process
    services: tuple[_Service, ...]


@dataclass(frozen=True, slots=True)
class CpuSample:
    """CPU seconds that each service has used since it started, its child processes included."""

    pids: dict[str, int]
    seconds: dict[str, float]

    def since(self, earlier: Self) -> dict[str, float]:
        """Returns the seconds used in between, by service.

        Raises Internal when one was started anew meanwhile, because its count began again.
        """
        if self.pids != earlier.pids:
            raise Internal(f"a process ended during the measurement: {earlier.pids} became {self.pids}")
        return {name: self.seconds[name] - earlier.seconds[name] for name in self.seconds}


@dataclass(frozen=True, slots=True)
class PinnedProcess:
    """A process by its descriptor (pidfd_open(2)), so that another one with its pid is never meant."""

    pid: int
    descriptor: int

    def send(self, number: signal.Signals) -> bool:
        """Returns whether the process was still there."""
        try:
            signal.pidfd_send_signal(self.descriptor, number)
        except ProcessLookupError:
            return False
        return True


class Services:
    """The services of the stack that runs in `home`."""

    def __init__(self, home: Path) -> None:
        self._state_file = home / "stack.json"

    def pid(self, name: str) -> int:
        """Returns the pid of a service. Raises Unavailable while there is none."""
        state = self._read()
        for service in state.services:
            if service.name == name and service.process is not None:
                return service.process.pid
        raise Unavailable(f"{name} has no process at the moment")

    def ready(self) -> bool:
        """Returns whether every service of the pipeline is ready, and every further node of ClickHouse."""
        phases = {service.name: service.phase for service in self._read().services}
        nodes = [name for name in phases if name.startswith(CLICKHOUSE)]
        return all(phases.get(name) == "ready" for name in (*PIPELINE, *nodes))

    def wait_until_ready(self, clock: Clock, seconds: float) -> None:
        """Waits until every service is ready. Raises Unavailable when one is not in time."""
        deadline = clock.monotonic() + seconds
        while not self.ready():
            if clock.monotonic() > deadline:
                raise Unavailable(f"the stack is not ready after {seconds:g} s")
            time.sleep(_POLL_SECONDS)

    def kill(self, name: str) -> bool:
        """Ends a service's process with SIGKILL; returns whether there was one."""
        try:
            with self.pinned(name) as process:
                return process.send(signal.SIGKILL)
        except Unavailable:
            return False

    def cpu(self, names: Sequence[str]) -> CpuSample:
        """Samples the CPU time of services. Raises Unavailable or NotFound when one of them does not run."""
        pids = {name: self.pid(name) for name in names}
        return CpuSample(pids, {name: family_cpu_seconds(pid) for name, pid in pids.items()})

    @contextmanager
    def pinned(self, name: str) -> Iterator[PinnedProcess]:
        """Holds a service's process as it is now, to be signalled within the block.

        The pid is pinned first and then checked to be a child of this stack's supervisor, so that a pid that was
        reused in between is never signalled. Raises Unavailable when the service has no process now.
        """
        pid = self.pid(name)
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise Unavailable(f"{name} (pid {pid}) has just ended") from None
        try:
            if parent(pid) != self._read().supervisor.pid:
                raise Unavailable(f"pid {pid} is not {name} any more")
            yield PinnedProcess(pid, descriptor)
        except NotFound:
            raise Unavailable(f"{name} (pid {pid}) has just ended") from None
        finally:
            os.close(descriptor)

    def _read(self) -> _State:
        return _State.model_validate_json(self._state_file.read_bytes())
