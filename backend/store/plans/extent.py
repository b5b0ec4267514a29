"""Estimates how many rows and granules a scope has, by the primary key alone."""

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from backend.store.execute import Executor
from backend.store.scope import Scope, TimeRange
from backend.store.select_indexes import estimate
from backend.times import MAX_NS
from kit.clock import Clock

KEPT_SECONDS: Final = 30.0
KEPT: Final = 1_000
_ROUND_NS: Final = 60 * 10**9


@dataclass(frozen=True, slots=True)
class Extent:
    """Number of rows and granules of a scope in all its parts, as far as the primary key can tell."""

    rows: int
    granules: int

    def granules_of(self, rows: int) -> int:
        """Returns the number of granules that so many rows take, at most all of them."""
        return min(self.granules, math.ceil(rows * self.granules / self.rows)) if self.rows else 0


class Extents:
    """Asks ClickHouse for extents, and keeps each answer for KEPT_SECONDS, so that pages of one search share it."""

    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._clock = clock
        self._known: OrderedDict[Scope, tuple[float, Extent]] = OrderedDict()

    async def of(self, scope: Scope, within: TimeRange) -> Extent:
        """Returns the extent of the scope for `within`, a part of its range, rounded outwards to whole minutes.

        Takes the server some 2 ms, to look at the primary key. Raises what Executor.run raises.
        """
        start_ns, end_ns = within.start_ns // _ROUND_NS * _ROUND_NS, -(-within.end_ns // _ROUND_NS) * _ROUND_NS
        rounded = replace(scope, time_range=TimeRange(start_ns, min(end_ns, MAX_NS)))
        now = self._clock.monotonic()
        known = self._known.get(rounded)
        if known is not None and now - known[0] < KEPT_SECONDS:
            return known[1]
        tables = (await self._executor.run(estimate(rounded))).rows
        # Records are spread evenly over the shards, so the figures of one shard are multiplied.
        rows, granules = sum(table.rows for table in tables), sum(table.granules for table in tables)
        extent = Extent(scope.shards * rows, scope.shards * granules)
        self._known[rounded] = (now, extent)
        self._known.move_to_end(rounded)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return extent
