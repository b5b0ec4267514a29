"""Background loops: each repeats one task in a thread or an event loop, while the process does its main work.

No error ends a loop: the error is counted and logged (kit/loop_health.py), and the next turn begins after a pause. Only
the main loop of a process is written without these classes, because there an error ends the process, which is then
started again. tests/repository/test_loops.py finds other loops.
"""

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final

from kit.loop_health import LoopHealth

AFTER_ERROR_SECONDS: Final = 1.0
"""Shortest pause after a failed turn, in seconds, so that a loop without pauses does not fail thousands of times a
second."""


class Repeating(threading.Thread, ABC):
    """A daemon thread that takes a turn every `seconds` until it is stopped. The first turn also waits `seconds`."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()
        self._health = LoopHealth(name)

    def stop(self) -> None:
        """Ends the loop after the current turn. Does not wait for that turn."""
        self._stopping.set()

    def run(self) -> None:
        pause = self._seconds
        while not self._stopping.wait(pause):
            pause = self._seconds
            if self._survive(self.turn):
                self._health.succeeded()
            else:
                pause = max(pause, AFTER_ERROR_SECONDS)
                self._survive(self.recover)
        self._survive(self.ended)

    def _survive(self, step: Callable[[], None]) -> bool:
        try:
            step()
        except Exception as error:
            self._health.failed(error)
            return False
        return True

    @abstractmethod
    def turn(self) -> None:
        """Does the work of one turn."""

    def recover(self) -> None:
        """Recovers after a failed turn. Runs in the loop's thread."""

    def ended(self) -> None:
        """Cleans up after the last turn. Runs in the loop's thread."""


class RepeatingTask:
    """Takes a turn every `seconds` until it is stopped or cancelled. The first turn also waits `seconds`."""

    def __init__(self, name: str, seconds: float, turn: Callable[[], Awaitable[None]]) -> None:
        self._name = name
        self._seconds = seconds
        self._turn = turn
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._health = LoopHealth(name)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Waits for the current turn, then takes a last one, also if the loop was never started."""
        # The turn is not cancelled, because nobody would know if half of it was done.
        self._stopping.set()
        if self._task is not None:
            await self._task
        await self._survive()

    async def cancel(self) -> None:
        """Ends the loop and its current turn, without a last turn. For turns that only read."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        pause = self._seconds
        while not await stopped_within(self._stopping, pause):
            pause = self._seconds if await self._survive() else max(self._seconds, AFTER_ERROR_SECONDS)

    async def _survive(self) -> bool:
        try:
            await self._turn()
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
