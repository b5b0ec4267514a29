"""Tests of what is kept of exports on a schedule, by the receiver's answers."""

from math import isfinite

import pytest

from kit.clock import SystemClock
from kit.errors import InvalidRequest
from loadtest.own_stack import Sender
from loadtest.scheduled_exports import Answered, ScheduledExports
from loadtest.sent import Sent
from loadtest.tests.test_otlp_http import BODY, Scripted, http

SENDER = Sender("acme", 7, 0, "key")


def test_answers_decide_where_records_are_counted() -> None:
    answers = [http(200), http(429), http(503), http(413)]
    server, clock, heard = Scripted(answers), SystemClock(), list[Answered]()
    exports = ScheduledExports(server.address, clock, heard.append, tolerant=True)
    for number in range(4):
        exports.call(SENDER, BODY, range(number, number + 1), time_ns=number)(clock.monotonic())
    server.thread.join()

    found = exports.outcomes
    assert found.sent == {7: Sent([range(1)], [range(2, 3), range(3, 4)])}
    assert found.refused == 1
    assert [isfinite(taken) for taken in found.seconds] == [True, False, False, False]
    assert [(each.sender, each.time_ns, each.records) for each in heard] == [(SENDER, 0, 1)]


def test_a_request_that_the_receiver_finds_fault_with_ends_a_strict_schedule() -> None:
    server, clock = Scripted([http(413)]), SystemClock()
    exports = ScheduledExports(server.address, clock)

    with pytest.raises(InvalidRequest, match="413"):
        exports.call(SENDER, BODY, range(1), time_ns=0)(clock.monotonic())
    server.thread.join()
