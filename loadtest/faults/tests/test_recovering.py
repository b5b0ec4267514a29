"""Tests that the times of a recovery end when it does, however late the study asks for it."""

from types import SimpleNamespace
from typing import cast

import pytest

from kit.clock import ManualClock
from kit.errors import Unavailable
from loadtest.faults import recovering
from loadtest.faults.recovering import Recovering
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.load import Load
from loadtest.traffic.scheduled_exports import Answered

SENDER = Sender("a", 1, 0, "")


def waiting(monkeypatch: pytest.MonkeyPatch, clock: ManualClock, answers: list[Answered], *, found: bool) -> Recovering:
    """Returns the wait for a recovery of which these requests are acknowledged, and their records found or not."""

    def first_started_after(moment: float) -> Answered | None:
        return next((each for each in answers if each.started > moment), None)

    monkeypatch.setattr(Recovering, "_finds", lambda *_: found)
    load = cast(Load, SimpleNamespace(first_started_after=first_started_after))
    return Recovering("receiver", load, cast(OwnStack, None), clock)


def test_faults_that_follow_a_kill_do_not_lengthen_its_recovery(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(10**9)
    before, after = (Answered(SENDER, 0, 1, started, started + 0.5) for started in (0.5, 1.5))

    kill = waiting(monkeypatch, clock, [before, after], found=True)
    clock.advance(3)
    with kill:
        assert kill.join(30)
        clock.advance(100)  # another service is killed, and recovers
        recovery = kill.finish()

    assert (recovery.acknowledged_after, recovery.searchable_after) == (1.0, 3.0)


def test_a_wait_ends_with_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    with waiting(monkeypatch, ManualClock(0), [], found=False):
        pass


def test_a_stack_that_does_not_recover_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovering, "RECOVERY_SECONDS", -1)

    kill = waiting(monkeypatch, ManualClock(0), [], found=False)
    with pytest.raises(Unavailable, match="no request was acknowledged after receiver was killed"), kill:
        kill.join(30)
