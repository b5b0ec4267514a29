"""One thing done again and again beside the work of a process: in a thread, or in an event loop."""

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable


class Repeating(threading.Thread, ABC):
    """A daemon thread that takes a turn every `seconds`, the first after as many, until it is told to stop.

    An error that a turn raises ends the thread: turns handle what they expect.
    """

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Takes no turn any more; does not wait for the one that is being taken."""
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self.turn()

    @abstractmethod
    def turn(self) -> None:
        """What is done each time."""


class RepeatingTask:
    """Takes a turn every `seconds`, the first after as many, and a last one when it is stopped.

    An error that a turn raises ends it, and is raised again by `stop`: turns handle what they expect.
    """

    def __init__(self, name: str, seconds: float, turn: Callable[[], Awaitable[None]]) -> None:
        self._name = name
        self._seconds = seconds
        self._turn = turn
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Waits for the turn that is being taken, then takes the last one, also where it was never started."""
        # Not by cancelling: whether half a turn was done, nobody would know.
        self._stopping.set()
        if self._task is not None:
            await self._task
        await self._turn()

    async def _run(self) -> None:
        while not await stopped_within(self._stopping, self._seconds):
            await self._turn()


async def stopped_within(stopping: asyncio.Event, seconds: float) -> bool:
    """Waits until `stopping` is set, `seconds` at most; whether it is."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()
    return stopping.is_set()
