"""Estimates how many rows and granules a scope has, by the primary key alone."""

import math
from dataclasses import dataclass, replace
from typing import Final

from cachetools import LRUCache

from backend.store.each_table import read_each_table
from backend.store.execute import Executor
from backend.store.plans.refreshed import MaxAges, Refreshed
from backend.store.scope import Scope, TimeRange
from backend.store.select_indexes import estimate
from backend.times import MAX_NS
from kit.clock import Clock

MAX_AGES: Final = MaxAges(fresh=30.0, stale=600.0)
KEPT: Final = 1_000
ALIKE: Final = 0.8
"""Smallest overlap of two ranges, as a share of the time that they span together, at which they count as alike. While
the extent of a range is unknown, the extent of an alike range is used instead.
"""

_ROUND_NS: Final = 60 * 10**9
_ANY: Final = TimeRange(0, 1)


@dataclass(frozen=True, slots=True)
class Extent:
    """Number of rows and granules of a scope in all of its tables, as far as the primary key can tell."""

    rows: int
    granules: int
    most_granules: int
    """Number of granules of the table that has the most."""

    def granules_of(self, rows: int) -> int:
        """Returns the number of granules that `rows` rows fill, at most all granules of the scope."""
        return min(self.granules, math.ceil(rows * self.granules / self.rows)) if self.rows else 0


class Extents:
    """Reads extents from ClickHouse and caches them, so that few searches wait for an extent.

    An extent sets the length of the first window and the number of granules in an answer. Both may be minutes old.
    """

    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._known = Refreshed(self._read, MAX_AGES, KEPT, clock)
        self._last: LRUCache[Scope, Scope] = LRUCache(KEPT)
        """Newest scope that was searched, by the scope without its range."""

    async def of(self, scope: Scope, within: TimeRange) -> Extent:
        """Returns the extent of the scope for `within`, a part of its range, rounded outwards to whole minutes.

        If that extent is not cached, returns the extent of the tenant's previous range where the two ranges are alike,
        such as the last hour now and a minute ago. Raises what Executor.run raises.
        """
        start_ns, end_ns = within.start_ns // _ROUND_NS * _ROUND_NS, -(-within.end_ns // _ROUND_NS) * _ROUND_NS
        rounded = replace(scope, time_range=TimeRange(start_ns, min(end_ns, MAX_NS)))
        everything = replace(scope, time_range=_ANY)
        last = self._last.get(everything)
        similar = last if last is not None and _alike(last.time_range, rounded.time_range) else None
        self._last[everything] = rounded
        return await self._known.of(rounded, scope.tenant_id, similar)

    async def _read(self, rounded: Scope) -> Extent:
        """Reads an extent from every table, which takes a server about 2 ms because it checks only the primary key."""
        answers = await read_each_table(self._executor, rounded, lambda runs, scope: runs.run(estimate(scope)))
        rows = sum(table.rows for answer in answers for table in answer.rows)
        granules = [sum(table.granules for table in answer.rows) for answer in answers]
        return Extent(rows, sum(granules), max(granules))


def _alike(one: TimeRange, other: TimeRange) -> bool:
    """Returns true if the overlap of the ranges is at least ALIKE of the time they span together."""
    shared = min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)
    return shared >= ALIKE * (max(one.end_ns, other.end_ns) - min(one.start_ns, other.start_ns))
