"""Tests of the supervisor with a server that it only checks, and a file system that is full."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from kit.clock import SystemClock
from kit.settings import Settings
from stack.services import Service, log_file
from stack.state import Phase, ServiceState, StackState, read_state, state_file
from stack.supervisor import Supervisor

PATIENCE = 10
STARTING, READY = 11.0, 22.0


class Disk:
    """Stands in for `write_state`: keeps the written states, and refuses them while `is_full`."""

    def __init__(self) -> None:
        self.is_full = False
        self.refused = 0
        self.written: list[StackState] = []

    def write(self, path: Path, state: StackState) -> None:
        if self.is_full:
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        self.written.append(state)

    @property
    def server(self) -> ServiceState:
        """Last written state of the checked server."""
        (server,) = self.written[-1].services
        return server


class Server:
    """A server whose health check fails with the reason `problem`, or succeeds if it is None."""

    def __init__(self) -> None:
        self.problem: str | None = None

    def check(self) -> str | None:
        return self.problem


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr("stack.supervisor.write_state", disk.write)
    monkeypatch.setattr("stack.supervisor.STARTING_SECONDS", 0.001)
    monkeypatch.setattr("stack.supervisor.READY_SECONDS", 0.001)
    return disk


def supervisor_of(server: Server, home: Path) -> Supervisor:
    service = Service("clickhouse", command=None, health=server.check)
    return Supervisor(Settings(home=home), [service], SystemClock())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


def test_a_full_file_system_stops_nothing_and_the_state_is_written_when_there_is_room(
    disk: Disk, tmp_path: Path
) -> None:
    async def supervise() -> None:
        server = Server()
        supervisor = supervisor_of(server, tmp_path)
        running = asyncio.create_task(supervisor.run())
        await until(lambda: bool(disk.written) and disk.server.phase is Phase.ready)
        disk.is_full, server.problem = True, "it does not answer"
        await until(lambda: disk.refused >= 3)
        assert not running.done()
        disk.is_full = False
        await until(lambda: disk.server.phase is Phase.unhealthy)
        assert disk.server.detail == "it does not answer"
        disk.is_full, server.problem = True, None
        supervisor.stop()
        async with asyncio.timeout(PATIENCE):
            await running

    with capture_logs() as lines:
        asyncio.run(supervise())

    failures = [line for line in lines if line["log_level"] == "error"]
    assert ["stack.json" in line["reason"] for line in failures] == [True, True]


def test_a_state_that_cannot_be_written_at_the_start_ends_the_supervisor(disk: Disk, tmp_path: Path) -> None:
    disk.is_full = True

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(supervisor_of(Server(), tmp_path).run())


def test_a_fault_in_the_start_of_a_service_stops_no_other_service(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stack.supervisor.FIRST_PAUSE_SECONDS", 0.001)
    prepared = 0

    def prepare() -> None:
        nonlocal prepared
        prepared += 1
        b"\xff".decode()

    async def supervise() -> None:
        faulty = Service("other", command=lambda: [sys.executable, "-c", ""], prepare=prepare)
        server = Service("clickhouse", command=None, health=Server().check)
        supervisor = Supervisor(Settings(home=tmp_path), [server, faulty], SystemClock())
        running = asyncio.create_task(supervisor.run())
        details = ["", "'utf-8' codec can't decode"]
        await until(
            lambda: (
                running.done()
                or (prepared >= 3 and [state.detail[:26] for state in disk.written[-1].services] == details)
            )
        )
        assert not running.done()
        supervisor.stop()
        async with asyncio.timeout(PATIENCE):
            await running

    with capture_logs() as lines:
        asyncio.run(supervise())
    assert any(line["event"] == "service cannot start" and line["exc_info"] for line in lines)


def test_the_log_of_the_supervisor_is_rotated_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stack.supervisor.ROTATE_SECONDS", 0.001)
    rotated: list[Path] = []
    monkeypatch.setattr("stack.logfile.rotate", lambda path, _largest: rotated.append(path))
    settings = Settings(home=tmp_path)

    async def supervise() -> None:
        supervisor = supervisor_of(Server(), tmp_path)
        running = asyncio.create_task(supervisor.run())
        await until(lambda: log_file(settings, "supervisor") in rotated)
        supervisor.stop()
        async with asyncio.timeout(PATIENCE):
            await running

    asyncio.run(supervise())


@pytest.mark.parametrize("exists_again", [True, False])
def test_the_supervisor_of_a_moved_home_writes_nothing_under_its_former_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists_again: bool
) -> None:
    monkeypatch.setattr("stack.supervisor.FIRST_PAUSE_SECONDS", 0.001)
    home, moved = Settings(home=tmp_path / "home"), Settings(home=tmp_path / "moved")

    async def supervise(server: Server) -> None:
        sleep = [sys.executable, "-c", "import time; time.sleep(3600)"]
        started = Service("other", command=lambda: sleep, health=server.check)
        supervisor = Supervisor(
            home, [Service("clickhouse", command=None, health=server.check), started], SystemClock()
        )
        running = asyncio.create_task(supervisor.run())
        await until(lambda: state_file(home).exists() and state_file(home).read_bytes().count(b'"ready"') == 2)
        home.home.rename(moved.home)
        if exists_again:
            home.home.mkdir()
        state = read_state(state_file(moved))
        assert state is not None
        process = state.services[1].process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        await until(lambda: any("was moved while its stack runs" in line.get("reason", "") for line in lines))
        supervisor.stop()
        async with asyncio.timeout(PATIENCE):
            await running

    with capture_logs() as lines:
        asyncio.run(supervise(Server()))
    assert home.home.exists() is exists_again
    assert not (exists_again and any(home.home.iterdir()))
    state = read_state(state_file(moved))
    assert state is not None
    assert {service.phase for service in state.services} == {Phase.stopped}


def test_a_server_that_is_no_longer_ready_is_checked_as_rarely_as_before(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the supervisor would check it 4 times a second for as long as it is away."""
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0.001)

    async def supervise() -> None:
        server = Server()
        server.problem = "it starts"
        supervisor = supervisor_of(server, tmp_path)
        running = asyncio.create_task(supervisor.run())
        await until(lambda: pauses.count(STARTING) >= 2)
        server.problem = None
        await until(lambda: disk.server.phase is Phase.ready)
        server.problem = "it does not answer"
        await until(lambda: disk.server.phase is Phase.unhealthy)
        pauses.clear()
        await until(lambda: READY in pauses)
        assert STARTING not in pauses
        supervisor.stop()
        async with asyncio.timeout(PATIENCE):
            await running

    monkeypatch.setattr("stack.supervisor.STARTING_SECONDS", STARTING)
    monkeypatch.setattr("stack.supervisor.READY_SECONDS", READY)
    monkeypatch.setattr("stack.supervisor.asyncio.sleep", pause)
    asyncio.run(supervise())
