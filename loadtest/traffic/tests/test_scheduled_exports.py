"""Tests that scheduled exports count records and times by the outcome of each request."""

from collections.abc import Iterator
from math import isfinite

import pytest

from kit.clock import SystemClock
from kit.errors import InvalidRequest
from loadtest.comparison import Sent
from loadtest.own_stack import Sender
from loadtest.traffic import scheduled_exports
from loadtest.traffic.otlp_http import SendOutcome
from loadtest.traffic.scheduled_exports import Answered, ScheduledExports

SENDER = Sender("acme", 7, 0, "key")


class Answers:
    """Connections to a receiver whose answers have these outcomes, one after the other. None stands for an invalid
    request."""

    def __init__(self, *outcomes: SendOutcome | None) -> None:
        self._outcomes: Iterator[SendOutcome | None] = iter(outcomes)

    def with_key(self, ingest_key: str) -> "Answers":
        assert ingest_key == SENDER.ingest_key
        return self

    def export(self, _body: bytes) -> SendOutcome:
        outcome = next(self._outcomes)
        if outcome is None:
            raise InvalidRequest("the receiver answered 413")
        return outcome


def test_answers_decide_where_records_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(SendOutcome.acknowledged, SendOutcome.refused, SendOutcome.uncertain, None)
    monkeypatch.setattr(scheduled_exports, "ThreadConnections", lambda _address, **_: answers)
    clock, heard = SystemClock(), list[Answered]()
    exports = ScheduledExports(("127.0.0.1", 0), clock, heard.append, tolerant=True)
    for number in range(4):
        exports.call(SENDER, b"", range(number, number + 1), time_ns=number)(clock.monotonic())

    found = exports.outcomes
    assert found.sent == {7: Sent([range(1)], [range(2, 3), range(3, 4)])}
    assert found.refused == 1
    assert [isfinite(taken) for taken in found.seconds] == [True, False, False, False]
    assert [(each.sender, each.time_ns, each.records) for each in heard] == [(SENDER, 0, 1)]


def test_a_request_that_the_receiver_finds_fault_with_ends_a_strict_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduled_exports, "ThreadConnections", lambda _address, **_: Answers(None))
    clock = SystemClock()

    with pytest.raises(InvalidRequest, match="413"):
        ScheduledExports(("127.0.0.1", 0), clock).call(SENDER, b"", range(1), time_ns=0)(clock.monotonic())


def test_an_answer_counts_in_the_ledger_in_which_its_call_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(SendOutcome.acknowledged, SendOutcome.acknowledged)
    monkeypatch.setattr(scheduled_exports, "ThreadConnections", lambda _address, **_: answers)
    exports = ScheduledExports(("127.0.0.1", 0), SystemClock())

    first = exports.begin_ledger()
    late = exports.call(SENDER, b"", range(3), 1)
    second = exports.begin_ledger()
    exports.call(SENDER, b"", range(3, 5), 2)(0.0)
    late(0.0)

    assert first.sent == {SENDER.tenant_id: Sent(acknowledged=[range(3)])}
    assert second.sent == {SENDER.tenant_id: Sent(acknowledged=[range(3, 5)])}
