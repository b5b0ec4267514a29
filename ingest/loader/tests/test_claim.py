import pytest

from ingest.loader.claim import Abandoned, Claim
from ingest.loader.standstill import STANDSTILL_SECONDS, StandstillWatch
from kit.clock import ManualClock
from kit.errors import Unavailable


def test_a_claim_holds_until_it_is_released() -> None:
    claim = Claim(StandstillWatch(ManualClock()), ManualClock().monotonic())
    claim.check()
    claim.release()
    with pytest.raises(Abandoned):
        claim.check()


def test_waiting_ends_with_the_claim() -> None:
    claim = Claim(StandstillWatch(ManualClock()), ManualClock().monotonic())
    claim.release()
    claim.wait(60)


def test_a_process_that_stood_still_owns_nothing_whoever_notices_first() -> None:
    for notice in ("beat", "alive"):
        clock = ManualClock()
        standstill = StandstillWatch(clock)
        clock.advance(STANDSTILL_SECONDS)
        assert not standstill.stood_still
        standstill.run_once()
        clock.advance(STANDSTILL_SECONDS + 0.1)
        if notice == "beat":
            standstill.run_once()
        with pytest.raises(Abandoned):
            Claim(standstill, ManualClock().monotonic()).check()
        standstill.run_once()
        assert standstill.stood_still


def test_a_thread_that_has_not_polled_does_not_know_what_it_owns() -> None:
    clock = ManualClock()
    standstill = StandstillWatch(clock)
    claim = Claim(standstill, ManualClock().monotonic())
    for _ in range(3):
        clock.advance(STANDSTILL_SECONDS)
        claim.check_polled()
        standstill.polled()
        standstill.run_once()
    clock.advance(STANDSTILL_SECONDS + 0.1)
    standstill._last = clock.monotonic()  # As its own thread does every half second.
    claim.check()
    with pytest.raises(Unavailable, match="has not confirmed"):
        claim.check_polled()
    standstill.polled()
    claim.check_polled()
    claim.release()
    with pytest.raises(Abandoned):
        claim.check_polled()
