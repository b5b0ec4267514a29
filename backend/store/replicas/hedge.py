"""Sends a statement to a second replica when the first one is later than nearly all recent statements were.

The first answer counts, and the other statement is cancelled
(docs/decisions/0041-a-late-statement-is-sent-to-a-second-replica.md).
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Hashable
from typing import Any, Final, TypeVar

from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError

R = TypeVar("R")

RECENT: Final = 200
"""Number of recent statements of which the 95th percentile is computed."""

MIN_RECENT: Final = 20
"""Number of statements before which nothing is sent twice, because too little is known."""

MIN_SECONDS: Final = 0.05
"""Shortest wait for the first replica, in seconds. A second statement would hardly be faster than a shorter wait."""

SHARE: Final = 0.95

MAX_SAVED: Final = 10.0
"""Largest number of second statements that may follow each other at once, after a time without any."""


class Hedging:
    """The times of recent statements, and the number of second statements that may be sent. For one event loop."""

    def __init__(self, percent: float, clock: Clock) -> None:
        """`percent` is the largest share of statements that are sent twice, in percent; 0 sends none twice."""
        self._each = percent / 100
        self._saved = MAX_SAVED if percent else 0.0
        self._clock = clock
        self._recent: dict[Hashable, deque[float]] = {}
        self._late: dict[Hashable, float] = {}
        self._count = metrics.counter(metrics.HEDGED)

    async def first_answer(
        self, kind: Hashable, first: Coroutine[Any, Any, R], second: Callable[[], Coroutine[Any, Any, R | None]]
    ) -> R:
        """Returns the answer of `first`, or that of `second` if it arrives earlier. The other one is cancelled.

        `second` is called when `first` is later than statements of the same kind were. It returns None, or raises an
        error of Logsieve, if it has no answer; then `first` is waited for. Raises what `first` raises.
        """
        self._saved = min(MAX_SAVED, self._saved + self._each)
        started = self._clock.monotonic()
        main = asyncio.create_task(first)
        spare: asyncio.Task[R | None] | None = None
        try:
            await asyncio.wait({main}, timeout=self._late.get(kind))
            answer = None
            if not main.done() and self._saved >= 1:
                self._saved -= 1
                spare = asyncio.create_task(_answer_or_none(second))
                await asyncio.wait({main, spare}, return_when=asyncio.FIRST_COMPLETED)
                if not spare.done() and main.exception() is not None:
                    # Statements of a replica that is left or unreachable fail. The second one may still be answered.
                    await asyncio.wait({spare})
                answer = spare.result() if spare.done() else None
                self._count.add(1, {"answered": "first" if answer is None else "second"})
            if answer is None:
                answer = await main
            self._note(kind, self._clock.monotonic() - started)
            return answer
        finally:
            running = [task for task in (main, spare) if task is not None]
            for task in running:
                task.cancel()
            # Returns when the connections of cancelled statements are closed, which stops these in ClickHouse.
            await asyncio.gather(*running, return_exceptions=True)

    def _note(self, kind: Hashable, seconds: float) -> None:
        recent = self._recent.setdefault(kind, deque(maxlen=RECENT))
        recent.append(seconds)
        if len(recent) >= MIN_RECENT:
            self._late[kind] = max(MIN_SECONDS, percentile_of(recent))


def percentile_of(seconds: Collection[float]) -> float:
    """Returns the time that SHARE of these times do not exceed."""
    return sorted(seconds)[math.ceil(SHARE * len(seconds)) - 1]


async def _answer_or_none(statement: Callable[[], Coroutine[Any, Any, R | None]]) -> R | None:
    try:
        return await statement()
    except LogsieveError:
        return None
