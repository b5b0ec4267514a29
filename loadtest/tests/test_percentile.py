"""Tests of nearest-rank percentiles, by the number of values."""

from math import inf

import pytest

from loadtest.percentile import finite_percentile, percentile


@pytest.mark.parametrize(("share", "expected"), [(0, 1), (0.5, 50), (0.501, 51), (0.99, 99), (0.991, 100), (1, 100)])
def test_of_a_hundred(share: float, expected: float) -> None:
    assert percentile(list(range(100, 0, -1)), share) == expected


def test_of_one_and_of_none() -> None:
    assert percentile([7.0], 0.99) == 7.0
    with pytest.raises(ValueError, match="at least one value"):
        percentile([], 0.5)


def test_an_infinite_percentile_and_one_of_nothing_are_none() -> None:
    assert finite_percentile([1.0, 2.0, inf], 0.5) == 2.0
    assert finite_percentile([1.0, 2.0, inf], 0.99) is None
    assert finite_percentile([], 0.5) is None
