import pytest

from backend.store.tables import LAST_SECOND, NS
from backend.usage.minutes import MAX_INTERVALS, Interval, Minutes, minutes_of
from backend.usage.repository import UsageSum, totals
from kit.errors import InvalidRequest

NOW = 1_790_000_030 * NS


def minutes(start_ns: int | None, end_ns: int | None, interval: Interval = "minute") -> Minutes | None:
    return minutes_of(start_ns, end_ns, interval, NOW)


def test_a_range_is_whole_minutes() -> None:
    minute = 1_790_000_000 // 60 * 60
    assert minutes(None, None) == (minute - 86_400, minute + 60)
    assert minutes((minute + 1) * NS, (minute + 60) * NS) == (minute, minute + 60)
    assert minutes((minute + 1) * NS, (minute + 60) * NS + 1) == (minute, minute + 120)


def test_empty_and_endless_ranges_are_refused() -> None:
    assert minutes(0, MAX_INTERVALS * 60 * NS) == (0, MAX_INTERVALS * 60)
    for start_ns, end_ns in ((5, 5), (6, 5), (0, (MAX_INTERVALS + 1) * 60 * NS)):
        with pytest.raises(InvalidRequest):
            minutes(start_ns, end_ns)
    assert minutes(0, (MAX_INTERVALS + 1) * 60 * NS, "hour") == (0, (MAX_INTERVALS + 1) * 60)


def test_a_range_after_the_last_minute_that_can_be_counted_has_no_usage() -> None:
    assert minutes((LAST_SECOND - 60) * NS, 2**63 - 1, "day") == ((LAST_SECOND - 60) // 60 * 60, LAST_SECOND)
    for start_ns in (LAST_SECOND * NS + 60 * NS, 2**63 - 1 - NS):
        assert minutes(start_ns, 2**63 - 1, "day") is None


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
