"""The loops of the product: one thing done again and again beside the work of a process, in a thread or an event loop.

No error ends a loop: it is counted and logged (kit/loop_health.py), and the next turn is taken after a pause. Only the
main loop of a process is written without these classes: an error ends the process, and the process is started again.
tests/repository/test_loops.py finds other loops.
"""

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final

from kit.loop_health import LoopHealth

AFTER_ERROR_SECONDS: Final = 1.0
"""Shortest pause after a turn that failed, so that a loop without pauses does not fail thousands of times a second."""


class Repeating(threading.Thread, ABC):
    """A daemon thread that takes a turn every `seconds`, the first after as many, until it is told to stop."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()
        self._health = LoopHealth(name)

    def stop(self) -> None:
        """Ends the loop after the current turn; does not wait for that turn."""
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
        """Does what is done each time."""

    def recover(self) -> None:
        """Recovers after a turn that failed. Runs in the thread of the loop."""

    def ended(self) -> None:
        """Cleans up after the last turn. Runs in the thread of the loop."""


class RepeatingTask:
    """Takes a turn every `seconds`, the first after as many, until it is stopped or cancelled."""

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
        """Waits for the turn that is being taken, then takes a last one, also where it was never started."""
        # Not by cancelling: whether half a turn was done, nobody would know.
        self._stopping.set()
        if self._task is not None:
            await self._task
        await self._survive()

    async def cancel(self) -> None:
        """Ends also the turn that is being taken, and takes no last one: for turns that only read."""
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
    """Waits until `stopping` is set, `seconds` at most; whether it is."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()
    return stopping.is_set()
