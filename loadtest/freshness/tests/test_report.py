"""Tests that each kind of failure of a run misses a goal."""

import pytest

from loadtest.freshness.study import LATE_SECONDS, FreshnessReport

GOOD = FreshnessReport(
    rate=500.0,
    maximum_rate=1000.0,
    record_bytes=4096,
    acknowledged=900,
    p50_seconds=0.5,
    p99_seconds=1.5,
    longest_seconds=1.9,
    behind_seconds=LATE_SECONDS,
    resolution_seconds=0.1,
)


def test_a_run_at_its_rate_passes() -> None:
    assert GOOD.passed


@pytest.mark.parametrize(
    ("bad", "missed"),
    [
        ({"behind_seconds": 66.0}, "66.00 s"),
        ({"p99_seconds": 2.1}, "2.10 s"),
        ({"uncertain": 2}, "0"),
        ({"lost": 3}, "3"),
        ({"doubled": 1}, "1"),
        ({"foreign": 2}, "2"),
    ],
)
def test_a_run_that_fails_shows_why(bad: dict[str, float], missed: str) -> None:
    report = GOOD.model_copy(update=bad)

    assert [row.measured for row in report.headline() if row.met is False] == [missed]
    assert not report.passed


def test_a_small_run_may_be_slow_and_may_not_be_wrong() -> None:
    slow = GOOD.model_copy(update={"smoke": True, "p99_seconds": 9.0, "behind_seconds": 66.0})

    assert slow.passed
    for wrong in ("lost", "doubled", "foreign"):
        assert not slow.model_copy(update={wrong: 1}).passed
