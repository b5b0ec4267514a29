"""Limits the time of all statements of one page, or of one record, together."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from backend.store.limits import NoTimeLeft
from backend.store.rows import Rows
from backend.store.runs import Runs, SlotRuns
from backend.store.statement import Statement
from kit.clock import Clock

R = TypeVar("R")


class RunsInTime:
    """Runs the statements of one page or record, which may hold slots for `seconds` in total. Waiting for a slot does
    not count.

    A page has a statement for each window and each table, a record one for each table, and few of them run at the same
    time. Each statement may run for the rest of the seconds, multiplied by `share`, rounded up to whole seconds. With a
    `share` below 1, a statement that runs too long leaves time for one over a shorter window.
    """

    def __init__(self, runs: SlotRuns, seconds: float, clock: Clock, share: float = 1.0) -> None:
        self._runs = runs
        self._seconds = seconds
        self._left = seconds
        self._clock = clock
        self._share = share

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises, and NoTimeLeft."""
        async with self.slot(statement.tenant_id) as held:
            return await held.run(statement)

    @asynccontextmanager
    async def slot(self, tenant_id: int, /) -> AsyncIterator[Runs]:
        """Holds one slot for the block, whose statements may run until the seconds are over. Use one slot at a time.

        Raises what Executor.slot raises. Raises NoTimeLeft without waiting for a slot if no time is left.
        """
        if self._left <= 0:
            raise NoTimeLeft(self._seconds)
        async with self._runs.slot(tenant_id) as held:
            started = self._clock.monotonic()
            try:
                yield _Until(held, started + self._left, self._seconds, self._clock, self._share)
            finally:
                self._left -= self._clock.monotonic() - started


@dataclass(frozen=True, slots=True)
class _Until:
    """Runs statements by `runs` until the monotonic second `end`, which is the end of the `seconds`. Each may take
    `share` of the time that is left."""

    runs: Runs
    end: float
    seconds: float
    clock: Clock
    share: float

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        left = self.end - self.clock.monotonic()
        if left <= 0:
            raise NoTimeLeft(self.seconds)
        # Whole seconds, because the client caches the encoded settings.
        settings = {**statement.settings, "max_execution_time": math.ceil(left * self.share)}
        return await self.runs.run(replace(statement, settings=settings))
