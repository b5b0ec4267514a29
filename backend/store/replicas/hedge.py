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
"""Number of the newest statements from whose times the 95th percentile is computed."""

MIN_RECENT: Final = 20
"""Number of statements that must have been timed before a statement is sent twice, because fewer give no reliable
percentile."""

MIN_SECONDS: Final = 0.05
"""Shortest wait for the first replica, in seconds. If the first answer is this early, a second statement would hardly
be faster."""

SHARE: Final = 0.95

MAX_SAVED: Final = 10.0
"""Largest number of second statements that may be sent directly one after the other, after a time without second
statements."""


class Hedging:
    """Keeps the times of recent statements, and counts how many second statements may be sent. Use it from one event
    loop only."""

    def __init__(self, percent: float, clock: Clock) -> None:
        """`percent` is the largest share of statements that are sent twice, in percent; 0 sends none twice."""
        self._earned_by_each = percent / 100
        """Number of second statements that each statement allows."""
        self._saved = MAX_SAVED if percent else 0.0
        self._clock = clock
        self._recent: dict[Hashable, deque[float]] = {}
        self._late: dict[Hashable, float] = {}
        self._count = metrics.counter(metrics.HEDGED)

    async def first_answer(
        self, kind: Hashable, first: Coroutine[Any, Any, R], second: Callable[[], Coroutine[Any, Any, R | None]]
    ) -> R:
        """Returns the answer of `first`, or the answer of `second` if it arrives earlier. Cancels the other statement.

        `second` is called when `first` is later than statements of the same kind were. If `second` returns None or
        raises a LogsieveError, it has no answer, and the answer of `first` is awaited. Raises what `first` raises.
        """
        self._saved = min(MAX_SAVED, self._saved + self._earned_by_each)
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
                    # The first statement fails if its replica becomes unreachable or is no longer read. The second
                    # statement may still be answered.
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
            # Returns after the connections of the cancelled statements are closed, which stops the statements in
            # ClickHouse.
            await asyncio.gather(*running, return_exceptions=True)

    def _note(self, kind: Hashable, seconds: float) -> None:
        recent = self._recent.setdefault(kind, deque(maxlen=RECENT))
        recent.append(seconds)
        if len(recent) >= MIN_RECENT:
            self._late[kind] = max(MIN_SECONDS, percentile_of(recent))


def percentile_of(seconds: Collection[float]) -> float:
    """Returns the percentile SHARE of these times."""
    return sorted(seconds)[math.ceil(SHARE * len(seconds)) - 1]


async def _answer_or_none(statement: Callable[[], Coroutine[Any, Any, R | None]]) -> R | None:
    try:
        return await statement()
    except LogsieveError:
        return None
