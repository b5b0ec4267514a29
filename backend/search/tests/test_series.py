"""Tests that the series of a histogram have a count in each bucket and add up to the buckets' totals."""

import pytest

from backend.search.histogram import histogram_by_field
from backend.search.series import MAX_VALUES, SeriesFound, SeriesKind
from backend.store.scope import TimeRange

SECOND = 10**9
RANGE = TimeRange(10 * SECOND + 1, 13 * SECOND)


def test_each_series_has_a_count_in_each_bucket() -> None:
    found = [
        SeriesFound(True, 1, "a", ([10, 12], [3, 1])),
        SeriesFound(True, MAX_VALUES + 1, "z", ([11], [2])),
        SeriesFound(False, 1, "", ([12], [4])),
    ]

    answer = histogram_by_field(RANGE, SECOND, "shop", found)

    assert [(each.kind, each.value, each.total, each.counts) for each in answer.series] == [
        (SeriesKind.value, "a", 4, [3, 0, 1]),
        (SeriesKind.other, None, 2, [0, 2, 0]),
        (SeriesKind.absent, None, 4, [0, 0, 4]),
    ]
    assert [bucket.total for bucket in answer.buckets] == [3, 2, 5]
    assert answer.by == "shop"


def test_nothing_found_has_empty_buckets_and_no_series() -> None:
    answer = histogram_by_field(RANGE, SECOND, "shop", [])

    assert answer.series == []
    assert [bucket.total for bucket in answer.buckets] == [0, 0, 0]


@pytest.mark.parametrize(("place", "kind"), [(MAX_VALUES, SeriesKind.value), (MAX_VALUES + 1, SeriesKind.other)])
def test_the_place_of_a_value_says_if_it_has_a_series(place: int, kind: SeriesKind) -> None:
    assert SeriesFound(True, place, "a", ([], [])).kind is kind
