"""Background loops: each repeats one task in a thread or an event loop, while the process does its main work.

No error ends a loop: the error is counted and logged (kit/loop_health.py), and the next run starts after a pause. Only
the main loop of a process is written without these classes, because there an error ends the process, which is then
started again. tests/repository/test_loops.py finds other loops.
"""

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from kit.loop_health import LoopHealth

CANCELLED: Final = "the last run of a background loop took too long and was cancelled, so that the process can stop"

AFTER_ERROR_SECONDS: Final = 1.0
"""Shortest pause after a failed run, in seconds, so that a loop without pauses does not fail thousands of times a
second."""

log = structlog.get_logger()


class Repeating(threading.Thread, ABC):
    """A daemon thread that runs once every `seconds` until it is stopped. The first run also waits `seconds`."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()
        self._health = LoopHealth(name)

    def stop(self) -> None:
        """Ends the loop after the current run. Does not wait for that run."""
        self._stopping.set()

    def run(self) -> None:
        pause = self._seconds
        while not self._stopping.wait(pause):
            pause = self._seconds
            if self._run_safely(self.run_once):
                self._health.succeeded()
            else:
                pause = max(pause, AFTER_ERROR_SECONDS)
                self._run_safely(self.recover)
        self._run_safely(self.ended)

    def _run_safely(self, step: Callable[[], None]) -> bool:
        try:
            step()
        except Exception as error:
            self._health.failed(error)
            return False
        return True

    @abstractmethod
    def run_once(self) -> None:
        """Does the work of one run."""

    def recover(self) -> None:
        """Prepares the next run after a failed one. The loop's thread calls it."""

    def ended(self) -> None:
        """Releases what the runs have used. The loop's thread calls it once, after the last run."""


class RepeatingTask:
    """An asyncio task that calls `run_once` every `seconds`. The first call also waits `seconds`."""

    def __init__(self, name: str, seconds: float, run_once: Callable[[], Awaitable[object]]) -> None:
        self._name = name
        self._seconds = seconds
        self._run_once = run_once
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._health = LoopHealth(name)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self, within: float | None = None) -> None:
        """Waits for the current run, then runs a last time, also if the loop was never started.

        After `within` seconds, cancels the run and logs that. Without this limit, the run is never cancelled, because
        it may be half done then.
        """
        self._stopping.set()
        try:
            async with asyncio.timeout(within):
                if self._task is not None:
                    await self._task
                await self._run_safely()
        except TimeoutError:
            log.warning(CANCELLED, loop=self._name, seconds=within)

    async def cancel(self) -> None:
        """Ends the loop and its current run, without a last run. For runs that may end at any place. `stop` can
        still add a last run afterwards."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        pause = self._seconds
        while not await stopped_within(self._stopping, pause):
            pause = self._seconds if await self._run_safely() else max(self._seconds, AFTER_ERROR_SECONDS)

    async def _run_safely(self) -> bool:
        try:
            await self._run_once()
        except Exception as error:
            self._health.failed(error)
            return False
        self._health.succeeded()
        return True


async def stopped_within(stopping: asyncio.Event, seconds: float) -> bool:
    """Waits at most `seconds` until `stopping` is set. Returns whether it is set."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()
    return stopping.is_set()
