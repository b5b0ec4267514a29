"""Returns usage over a range of time."""

from collections.abc import Sequence
from typing import Final, Generic, Protocol, TypeVar

from backend.store.tables import LAST_SECOND, NS
from backend.times import format_time
from backend.usage.repository import SECONDS, Interval, UsageSum
from kit.clock import Clock
from kit.errors import InvalidRequest

DEFAULT_NS: Final = 86_400 * NS
MAX_INTERVALS: Final = 11_000
"""Largest number of intervals in one answer: a week of minutes, or a year of hours."""

W = TypeVar("W", contravariant=True)
"""Type that names the tenant or tenants to sum."""


class Sums(Protocol[W]):
    """A repository of sums."""

    async def sums(self, whose: W, start: int, end: int, interval: Interval) -> list[UsageSum]: ...


class UsageService(Generic[W]):
    def __init__(self, repository: Sums[W], clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def usage(self, whose: W, start_ns: int | None, end_ns: int | None, interval: Interval) -> list[UsageSum]:
        """Returns usage by interval and outcome; of the last 24 hours if no time is given.

        Every minute that the range touches counts as a whole. Raises InvalidRequest for a range that is empty or has
        too many intervals, and what Executor.run raises.
        """
        end_ns = self._clock.now_ns() if end_ns is None else end_ns
        start_ns = max(0, end_ns - DEFAULT_NS) if start_ns is None else start_ns
        if start_ns >= end_ns:
            raise InvalidRequest(
                f"start {format_time(start_ns)} must be before end {format_time(end_ns)}: give an earlier start or a "
                "later end"
            )
        start = start_ns // (60 * NS) * 60
        end = min(-(-end_ns // (60 * NS)) * 60, LAST_SECOND)
        if (end - start) // SECONDS[interval] > MAX_INTERVALS:
            raise InvalidRequest(
                f"the range has more than {MAX_INTERVALS:,} intervals: choose a shorter range, or `interval=hour` or "
                "`interval=day`"
            )
        # The table has no minutes after LAST_SECOND, and ClickHouse refuses later times.
        return await self._repository.sums(whose, start, end, interval) if start < end else []


def totals(sums: Sequence[UsageSum]) -> list[UsageSum]:
    """Returns one sum over all intervals for each tenant and outcome, ordered by both. `start` is the start of the
    first interval."""
    found: dict[tuple[int, str], list[int]] = {}
    for tenant_id, start, outcome, requests, records, size in sums:
        total = found.setdefault((tenant_id, outcome), [start, 0, 0, 0])
        total[0] = min(total[0], start)
        total[1] += requests
        total[2] += records
        total[3] += size
    return [
        UsageSum(tenant_id, start, outcome, requests, records, size)
        for (tenant_id, outcome), (start, requests, records, size) in sorted(found.items())
    ]
