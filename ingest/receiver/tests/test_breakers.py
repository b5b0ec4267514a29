import contextlib

import pytest

from ingest.receiver.breaker import LONGEST_RETRY_SECONDS, PAUSE_SECONDS, PROBE_SECONDS
from ingest.receiver.breakers import Attempt, Breakers
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from kit.errors import Unavailable

BAD, GOOD = b"1", b"2"
TIMEOUT = 10.0
REASON = "Local: Message timed out"


def test_a_message_that_times_out_beside_acknowledged_ones_refuses_only_its_key() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    bad = [breakers.start(BAD) for _ in range(3)]
    good = breakers.start(GOOD)
    clock.advance(TIMEOUT)
    breakers.succeeded(good)
    for each in bad:
        breakers.failed(each, REASON)
        breakers.check()
        breakers.start(GOOD)
        with pytest.raises(Unavailable, match="partition cannot be reached: Local: Message timed out"):
            breakers.start(BAD)
    assert breakers.problem() is None


def test_a_refused_key_is_tried_with_one_message_at_a_time_until_one_is_acknowledged() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    bad, good = breakers.start(BAD), breakers.start(GOOD)
    breakers.succeeded(good)
    breakers.failed(bad, REASON)
    clock.advance(PAUSE_SECONDS)
    tried = breakers.start(BAD)
    with pytest.raises(Unavailable) as refused:
        breakers.start(BAD)
    clock.advance(PROBE_SECONDS)
    assert refused.value.retry_after < breakers.refusal(tried, REASON).retry_after < LONGEST_RETRY_SECONDS
    breakers.succeeded(breakers.start(BAD))
    for _ in range(2):
        breakers.start(BAD)


def test_messages_of_two_keys_that_time_out_without_any_acknowledged_since_refuse_all() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    breakers.succeeded(breakers.start(GOOD))
    clock.advance(1)
    sent = [breakers.start(key) for key in (BAD, GOOD)]
    clock.advance(TIMEOUT)
    for each in sent:
        assert breakers.problem() is None
        breakers.failed(each, REASON)
    assert breakers.problem() == f"Kafka cannot be reached: {REASON}"
    with pytest.raises(Unavailable, match="Kafka cannot be reached"):
        breakers.check()
    clock.advance(PAUSE_SECONDS)
    breakers.succeeded(breakers.start(GOOD))
    assert breakers.problem() is None
    breakers.start(BAD)


def test_a_key_that_keeps_failing_refuses_no_rare_sender_of_another_key() -> None:
    """Many senders use a key whose partition has no leader, and another tenant sends a message every 11 s."""
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    pending: list[tuple[float, Attempt]] = []
    refused = 0
    for second in range(600):
        for ended in [each for each in pending if each[0] <= clock.monotonic()]:
            breakers.failed(ended[1], REASON)
            pending.remove(ended)
        for _ in range(5):
            with contextlib.suppress(Unavailable):
                breakers.check()
                pending.append((clock.monotonic() + TIMEOUT, breakers.start(BAD)))
        if second % 11 == 0:
            try:
                breakers.check()
                breakers.succeeded(breakers.start(GOOD))
            except Unavailable:
                refused += 1
        clock.advance(1)
    assert refused == 0
    assert len(pending) <= 1, "messages of the failing key are tried one at a time"


def test_a_key_that_failed_does_not_use_up_the_message_that_is_tried_of_all() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    bad = breakers.start(BAD)
    breakers.alarm("3/3 brokers are down")
    clock.advance(TIMEOUT)
    breakers.failed(bad, REASON)
    clock.advance(PAUSE_SECONDS)
    tried = breakers.start(BAD)
    breakers.succeeded(breakers.start(GOOD))
    breakers.failed(tried, REASON)
    assert breakers.problem() is None


def test_without_a_broker_all_are_refused_at_once_though_a_message_was_just_acknowledged() -> None:
    breakers = Breakers(ManualClock(NOW))
    breakers.succeeded(breakers.start(GOOD))
    breakers.alarm("3/3 brokers are down")
    with pytest.raises(Unavailable, match="3/3 brokers are down"):
        breakers.check()


def test_a_message_of_a_refused_key_does_not_use_up_the_one_that_is_tried_of_all() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    bad, good = breakers.start(BAD), breakers.start(GOOD)
    breakers.succeeded(good)
    clock.advance(TIMEOUT)
    breakers.alarm("3/3 brokers are down")
    clock.advance(PAUSE_SECONDS)
    breakers.failed(bad, REASON)
    with pytest.raises(Unavailable, match="partition"):
        breakers.start(BAD)
    breakers.start(GOOD)


def test_while_all_keys_fail_requests_of_each_are_refused_at_once_between_the_messages_that_are_tried() -> None:
    clock = ManualClock(NOW)
    breakers = Breakers(clock)
    keys = (BAD, GOOD, b"3")
    sent = [breakers.start(key) for key in keys]
    for _ in range(5):
        clock.advance(TIMEOUT)
        for each in sent:
            breakers.failed(each, REASON)
        clock.advance(PAUSE_SECONDS)
        sent = [breakers.start(key) for key in keys]
        clock.advance(PAUSE_SECONDS)
        for key in keys:
            with pytest.raises(Unavailable):
                breakers.check(key)
