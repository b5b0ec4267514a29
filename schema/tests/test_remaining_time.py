"""The estimate of an index switch: right for even work, and not off by hours after a small first partition."""

import pytest

from schema.clickhouse.remaining_time import RemainingTime


def test_even_partitions_count_down() -> None:
    remaining = RemainingTime([100] * 10, started=50.0)
    left = [remaining.finish([100], now=50.0 + 2 * (step + 1)) for step in range(10)]
    assert left == [pytest.approx(18 - 2 * step) for step in range(10)]


def test_a_small_first_partition_is_no_measure_of_the_rest() -> None:
    """One second went by for 1 KB of 32 GB: not 32 million seconds are left."""
    remaining = RemainingTime([10**3, *[10**9] * 32], started=0.0)
    assert remaining.finish([10**3], now=1.0) < 120


def test_one_slow_step_moves_the_estimate_by_half() -> None:
    remaining = RemainingTime([100] * 4, started=0.0)
    assert remaining.finish([100], now=10.0) == pytest.approx(30)
    # Counted down, 0 s are left of the estimate; by the mean of two steps it is 40 s.
    assert remaining.finish([100], now=40.0) == pytest.approx(20)


def test_nothing_to_do_takes_no_time() -> None:
    assert RemainingTime([], started=0.0).finish([], now=1.0) == 0
    assert RemainingTime([0], started=0.0).finish([0], now=1.0) == 0
