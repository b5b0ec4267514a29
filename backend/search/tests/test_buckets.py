"""Tests that histogram buckets cover the range exactly once and lose no count."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from backend.search.buckets import WIDTHS, BucketCount, fill, width_for
from backend.store.scope import TimeRange

SECOND = 10**9


@st.composite
def ranges(draw: st.DrawFn) -> TimeRange:
    start = draw(st.integers(0, 2**63 - 2))
    return TimeRange(start, draw(st.integers(start + 1, 2**63 - 1)))


def test_an_hour_in_sixty_buckets_has_minutes() -> None:
    assert width_for(TimeRange(0, 3600 * SECOND), 60) == 60 * SECOND


def test_clickhouse_can_hold_every_width() -> None:
    assert max(WIDTHS) < 2**63


@given(ranges(), st.integers(1, 1000))
def test_buckets_are_few_and_cover_the_range(time_range: TimeRange, buckets: int) -> None:
    width = width_for(time_range, buckets)
    filled = fill(time_range, width, [])
    starts = [start for start, _ in filled]

    assert len(filled) <= buckets + 1
    assert starts[0] <= time_range.start_ns
    assert starts[-1] + width >= time_range.end_ns
    assert all(later - earlier == width for earlier, later in itertools.pairwise(starts))


@given(st.lists(st.builds(BucketCount, st.integers(0, 59), st.integers(0, 255), st.integers(1, 10**6))))
def test_no_count_is_lost(counts: list[BucketCount]) -> None:
    filled = fill(TimeRange(0, 60 * SECOND), SECOND, counts)

    assert sum(sum(by_severity.values()) for _, by_severity in filled) == sum(each.records for each in counts)


def test_severities_have_names() -> None:
    counts = [BucketCount(0, number, count) for number, count in ((0, 1), (9, 2), (12, 3), (24, 4))]
    ((_, by_severity),) = fill(TimeRange(0, SECOND), SECOND, counts)

    assert by_severity == {"unspecified": 1, "info": 5, "fatal": 4}
