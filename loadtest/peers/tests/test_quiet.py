"""Tests of the wait until all sides are idle, with a clock that the test moves."""

from collections.abc import Callable

import pytest

from kit.clock import ManualClock
from loadtest.peers.idle import wait_until_quiet


def working(seconds: float, clock: ManualClock) -> Callable[[], float]:
    """Returns the CPU seconds used by a side that keeps one processor busy for the first `seconds` of the clock."""
    return lambda: min(clock.monotonic(), seconds)


@pytest.mark.parametrize(("seconds", "waited"), [(0.0, 0.2), (1.0, 1.2), (29.0, 29.2)])
def test_it_returns_once_nobody_works(seconds: float, waited: float) -> None:
    clock = ManualClock()

    assert wait_until_quiet(working(seconds, clock), clock, clock.advance)

    assert clock.monotonic() == pytest.approx(waited)


def test_a_side_that_works_on_is_not_waited_for_without_end() -> None:
    clock = ManualClock()

    assert not wait_until_quiet(clock.monotonic, clock, clock.advance)

    assert clock.monotonic() == pytest.approx(30.0)


def test_reading_queues_is_no_work() -> None:
    """Tests that sides which use a fifth of a processor count as idle."""
    clock = ManualClock()

    assert wait_until_quiet(lambda: 0.2 * clock.monotonic(), clock, clock.advance)
