"""Tests that the wait for stored records ends when the side has all records and no work left."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest

from kit.clock import ManualClock
from kit.errors import Unavailable
from loadtest.peers.idle import wait_until_settled
from loadtest.peers.side import Side


@dataclass
class Scripted:
    """A side that has the states `(count, working)` one after the other, and then keeps the last one."""

    states: Sequence[tuple[int, bool]]
    name: str = "scripted"
    flushed: int = 0
    clock: ManualClock = field(default_factory=ManualClock)

    def flush(self) -> None:
        self.flushed += 1

    def count(self) -> int:
        return self.states[0][0]

    def working(self) -> bool:
        [now, *_] = self.states
        return now[1]

    def pause(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.states = self.states[1:] or self.states


def settled(side: Scripted) -> tuple[float, float]:
    """Waits for 100 records. Returns the seconds until the last was found, and those until the wait ended."""
    found = wait_until_settled(cast("Side", side), 100, side.clock, side.pause)[0]
    return found, side.clock.monotonic()


def test_it_waits_for_the_last_record_and_then_for_the_merges() -> None:
    side = Scripted([(50, False)] * 4 + [(100, True)] * 8 + [(100, False)])

    found, quiet = settled(side)

    assert found == pytest.approx(1.0)
    assert quiet == pytest.approx(2.75 + 6.0)
    assert side.flushed == 1


def test_missing_records_are_lost_after_a_minute_without_work() -> None:
    assert settled(Scripted([(99, False)])) == pytest.approx((0.0, 60.0))


def test_more_records_than_were_sent_are_waited_for_too() -> None:
    found, quiet = settled(Scripted([(100, False)] * 4 + [(120, False)]))

    assert (found, quiet) == pytest.approx((0.0, 6.0 + 6.0))


def test_a_side_that_never_ends_is_an_error() -> None:
    with pytest.raises(Unavailable, match="100 of 100 records are found"):
        settled(Scripted([(100, True)]))


def test_found_records_are_counted_again_only_at_the_end() -> None:
    side = Scripted([(50, False)] * 3 + [(100, True)] * 8 + [(100, False)])

    _, counts = wait_until_settled(cast("Side", side), 100, side.clock, side.pause)

    assert counts == 3 + 1 + 1
