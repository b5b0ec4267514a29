"""Estimates how many rows and granules a scope has, by the primary key alone."""

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from backend.store.execute import Executor
from backend.store.plans.refreshed import Lives, Refreshed
from backend.store.scope import Scope, TimeRange
from backend.store.select_indexes import estimate
from backend.times import MAX_NS
from kit.clock import Clock

LIVES: Final = Lives(fresh=30.0, stale=600.0)
KEPT: Final = 1_000
ALIKE: Final = 0.8
"""Smallest part that two ranges share if the extent of one serves for the other, until that is known."""

_ROUND_NS: Final = 60 * 10**9
_ANY: Final = TimeRange(0, 1)


@dataclass(frozen=True, slots=True)
class Extent:
    """Number of rows and granules of a scope in all its parts, as far as the primary key can tell."""

    rows: int
    granules: int

    def granules_of(self, rows: int) -> int:
        """Returns the number of granules that so many rows take, at most all of them."""
        return min(self.granules, math.ceil(rows * self.granules / self.rows)) if self.rows else 0


class Extents:
    """Asks ClickHouse for extents, and keeps them, so that few searches wait for one.

    An extent says how long the first window is, and how many granules an answer tells. Neither needs a number of this
    second.
    """

    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._known = Refreshed(self._ask, LIVES, KEPT, clock)
        self._last: OrderedDict[Scope, Scope] = OrderedDict()
        """The scope that each tenant searched last, by the scope without a range."""

    async def of(self, scope: Scope, within: TimeRange) -> Extent:
        """Returns the extent of the scope for `within`, a part of its range, rounded outwards to whole minutes.

        Returns that of the range that the tenant searched last where both are nearly the same, as those of the last
        hour are a minute later. Raises what Executor.run raises.
        """
        start_ns, end_ns = within.start_ns // _ROUND_NS * _ROUND_NS, -(-within.end_ns // _ROUND_NS) * _ROUND_NS
        rounded = replace(scope, time_range=TimeRange(start_ns, min(end_ns, MAX_NS)))
        everything = replace(scope, time_range=_ANY)
        last = self._last.get(everything)
        similar = last if last is not None and _alike(last.time_range, rounded.time_range) else None
        self._last[everything] = rounded
        self._last.move_to_end(everything)
        if len(self._last) > KEPT:
            self._last.popitem(last=False)
        return await self._known.of(rounded, similar)

    async def _ask(self, rounded: Scope) -> Extent:
        """Asks for an extent, which takes the server some 2 ms, to look at the primary key."""
        tables = (await self._executor.run(estimate(rounded))).rows
        # Records are spread evenly over the shards, so the figures of one shard are multiplied.
        rows, granules = sum(table.rows for table in tables), sum(table.granules for table in tables)
        return Extent(rounded.shards * rows, rounded.shards * granules)


def _alike(one: TimeRange, other: TimeRange) -> bool:
    """Returns true if what the ranges share is at least ALIKE of what they span together."""
    shared = min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)
    return shared >= ALIKE * (max(one.end_ns, other.end_ns) - min(one.start_ns, other.start_ns))
