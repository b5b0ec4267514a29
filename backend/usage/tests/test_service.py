import asyncio

import pytest

from backend.store.tables import LAST_SECOND, NS
from backend.usage.repository import Interval, UsageSum
from backend.usage.service import MAX_INTERVALS, UsageService, totals
from kit.clock import ManualClock
from kit.errors import InvalidRequest

NOW = 1_790_000_030 * NS
Counted = tuple[int | None, int, int, Interval]


class Repository:
    """Records the calls it receives."""

    def __init__(self) -> None:
        self.counted: list[Counted] = []

    async def sums(self, whose: int | None, start: int, end: int, interval: Interval) -> list[UsageSum]:
        self.counted.append((whose, start, end, interval))
        return []


def count(start: int | None, end: int | None, interval: Interval = "minute") -> Counted:
    repository = Repository()
    asyncio.run(UsageService(repository, ManualClock(NOW)).usage(7, start, end, interval))
    (counted,) = repository.counted
    return counted


def test_a_range_is_whole_minutes() -> None:
    minute = 1_790_000_000 // 60 * 60
    assert count(None, None) == (7, minute - 86_400, minute + 60, "minute")
    assert count((minute + 1) * NS, (minute + 60) * NS) == (7, minute, minute + 60, "minute")
    assert count((minute + 1) * NS, (minute + 60) * NS + 1) == (7, minute, minute + 120, "minute")


def test_empty_and_endless_ranges_are_refused() -> None:
    count(0, MAX_INTERVALS * 60 * NS)
    for start, end in ((5, 5), (6, 5), (0, (MAX_INTERVALS + 1) * 60 * NS)):
        with pytest.raises(InvalidRequest):
            count(start, end)
    count(0, (MAX_INTERVALS + 1) * 60 * NS, "hour")


def test_a_range_after_the_last_minute_that_can_be_counted_has_no_usage() -> None:
    repository, service_end = Repository(), 2**63 - 1
    for start in (LAST_SECOND * NS, service_end - NS):
        usage = UsageService(repository, ManualClock(NOW)).usage(7, start, service_end, "day")
        asyncio.run(usage)
    assert all(start < end <= LAST_SECOND for _, start, end, _ in repository.counted)


def test_totals_are_by_tenant_and_outcome() -> None:
    sums = [
        UsageSum(2, 60, "accepted", 1, 2, 3),
        UsageSum(1, 120, "too_old", 0, 1, 5),
        UsageSum(1, 60, "accepted", 1, 10, 100),
        UsageSum(1, 120, "accepted", 2, 20, 200),
    ]
    assert totals(sums) == [
        UsageSum(1, 60, "accepted", 3, 30, 300),
        UsageSum(1, 120, "too_old", 0, 1, 5),
        UsageSum(2, 60, "accepted", 1, 2, 3),
    ]
