"""Tests that the times of a recovery count from the kill, and that a wait for it ends with the faults."""

from threading import Event
from typing import cast

import pytest

from kit.clock import ManualClock
from kit.errors import Unavailable
from loadtest.faults import recovering
from loadtest.faults.study import Recovery
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.load import Load
from loadtest.traffic.scheduled_exports import Answered

SENDER = Sender("a", 1, 0, "")


class Answers:
    """Stands for the clients, whose requests were acknowledged after the given times, and for the log store."""

    def __init__(self, clock: ManualClock, *answers: Answered) -> None:
        self.clock = clock
        self.answers = answers
        self.over = Event()

    def first_started_after(self, moment: float) -> Answered | None:
        return next((each for each in self.answers if each.started > moment), None)

    def find(self, *_: object) -> bool:
        """Finds the records after 3 s."""
        self.clock.advance(3)
        return True

    def recovery(self, monkeypatch: pytest.MonkeyPatch) -> Recovery:
        monkeypatch.setattr(recovering, "_finds", self.find)
        return recovering.recovery("receiver", cast(Load, self), cast(OwnStack, None), self.clock, self.over)


def test_the_times_of_a_recovery_begin_with_the_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = (Answered(SENDER, 0, 1, started, started + 0.5) for started in (0.5, 1.5))

    recovery = Answers(ManualClock(10**9), before, after).recovery(monkeypatch)

    assert (recovery.acknowledged_after, recovery.searchable_after) == (1.0, 3.0)


def test_a_wait_ends_with_the_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(ManualClock(0))
    answers.over.set()

    with pytest.raises(Unavailable, match="the faults ended before the recovery from a kill of receiver"):
        answers.recovery(monkeypatch)


def test_a_stack_that_does_not_recover_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovering, "RECOVERY_SECONDS", -1)

    with pytest.raises(Unavailable, match="no request was acknowledged after receiver was killed"):
        Answers(ManualClock(0)).recovery(monkeypatch)
