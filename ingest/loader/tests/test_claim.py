import pytest

from ingest.loader.claim import Abandoned, Claim
from ingest.loader.pulse import STANDSTILL_SECONDS, Pulse
from kit.clock import ManualClock


def test_a_claim_holds_until_it_is_released() -> None:
    claim = Claim(Pulse(ManualClock()))
    claim.check()
    claim.release()
    with pytest.raises(Abandoned):
        claim.check()


def test_waiting_ends_with_the_claim() -> None:
    claim = Claim(Pulse(ManualClock()))
    claim.release()
    claim.wait(60)


def test_a_process_that_stood_still_owns_nothing_whoever_notices_first() -> None:
    for notice in ("beat", "alive"):
        clock = ManualClock()
        pulse = Pulse(clock)
        clock.advance(STANDSTILL_SECONDS)
        assert pulse.alive
        pulse.turn()
        clock.advance(STANDSTILL_SECONDS + 0.1)
        if notice == "beat":
            pulse.turn()
        with pytest.raises(Abandoned):
            Claim(pulse).check()
        pulse.turn()
        assert not pulse.alive
