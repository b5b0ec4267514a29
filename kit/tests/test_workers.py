"""Tests that a worker that cannot start ends no other worker."""

import asyncio
import os
import signal

import pytest
from structlog.testing import capture_logs

from kit import workers

PATIENCE = 10


class Worker:
    """Stands in for the process of a worker. It runs until it is terminated."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()

    def terminate(self) -> None:
        self._ended.set()

    async def wait(self) -> int:
        await self._ended.wait()
        return 0


def test_a_worker_that_cannot_start_is_started_again_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "FIRST_PAUSE_SECONDS", 0.001)
    failures, started = 2, []

    async def start(arguments: list[str]) -> Worker:
        nonlocal failures
        if arguments[1] == "1" and failures:
            failures -= 1
            raise OSError("Cannot allocate memory")
        started.append(arguments[1])
        return Worker()

    async def run() -> None:
        keeping = asyncio.create_task(workers.keep_workers("api", "backend.worker", 3))
        async with asyncio.timeout(PATIENCE):
            while len(started) < 3:
                assert not keeping.done()
                await asyncio.sleep(0.001)
            os.kill(os.getpid(), signal.SIGTERM)
            await keeping

    monkeypatch.setattr(workers, "_start", start)
    with capture_logs() as lines:
        asyncio.run(run())
    assert sorted(started) == ["0", "1", "2"]
    assert [line["reason"] for line in lines if line["log_level"] == "error"] == ["Cannot allocate memory"] * 2
