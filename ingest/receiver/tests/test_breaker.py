import pytest

from ingest.receiver.breaker import LONGEST_RETRY_SECONDS, PAUSE_SECONDS, PROBE_SECONDS, RETRY_SECONDS, Breaker
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from kit.errors import Unavailable


def refuses(breaker: Breaker) -> bool:
    for step in (breaker.check, breaker.start_attempt):
        with pytest.raises(Unavailable, match="brokers are down"):
            step()
    return True


def test_while_open_one_message_at_a_time_is_tried() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    for _ in range(3):
        breaker.start_attempt()
    breaker.alarm("1/1 brokers are down")
    assert refuses(breaker)
    clock.advance(PAUSE_SECONDS)
    breaker.alarm("1/1 brokers are down")
    for _ in range(3):
        breaker.check()  # a malformed request does not use up the one tried message
    breaker.start_attempt()
    assert refuses(breaker)
    clock.advance(PROBE_SECONDS)
    breaker.start_attempt()
    breaker.failed("2/2 brokers are down")
    assert refuses(breaker)
    breaker.succeeded()
    for _ in range(3):
        breaker.start_attempt()


def test_a_breaker_that_nobody_tries_shows_no_problem_once_a_message_may_be_tried() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    breaker.alarm("1/1 brokers are down")
    assert breaker.problem() == "Kafka cannot be reached: 1/1 brokers are down"
    clock.advance(PAUSE_SECONDS)
    assert breaker.problem() is None
    breaker.start_attempt()
    assert breaker.problem() == "Kafka cannot be reached: 1/1 brokers are down"


def test_senders_shall_wait_longer_the_longer_it_takes() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    breaker.failed("brokers are down")
    requested = []
    for _ in range(20):
        with pytest.raises(Unavailable) as refusal:
            breaker.check()
        requested.append(refusal.value.retry_after)
        clock.advance(PROBE_SECONDS)
        breaker.failed("brokers are down")

    assert requested[0] == RETRY_SECONDS
    assert requested == sorted(requested)
    assert requested[-1] == LONGEST_RETRY_SECONDS


def test_an_sdk_that_counts_six_attempts_outlasts_a_minute() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    breaker.failed("brokers are down")
    started = clock.monotonic()
    for _ in range(5):
        clock.advance(breaker.refusal("not tried").retry_after)
    assert clock.monotonic() - started > 100


def test_a_message_that_was_tried_is_to_wait_as_long_as_one_that_was_not() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    assert breaker.refusal("queue is full").retry_after == RETRY_SECONDS
    breaker.failed("brokers are down")
    clock.advance(PROBE_SECONDS)
    breaker.start_attempt()
    breaker.failed("brokers are down")
    with pytest.raises(Unavailable) as refusal:
        breaker.check()
    assert refusal.value.retry_after == breaker.refusal("it timed out").retry_after > PROBE_SECONDS


def test_another_outage_starts_with_the_short_wait() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    breaker.failed("brokers are down")
    clock.advance(3600)
    breaker.succeeded()
    breaker.failed("brokers are down")

    with pytest.raises(Unavailable) as refusal:
        breaker.check()
    assert refusal.value.retry_after == RETRY_SECONDS
