import pytest

from ingest.receiver.breaker import PAUSE_SECONDS, PROBE_SECONDS, Breaker
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from kit.errors import Unavailable


def refuses(breaker: Breaker) -> bool:
    for ask in (breaker.check, breaker.begin):
        with pytest.raises(Unavailable, match="brokers are down"):
            ask()
    return True


def test_while_open_one_message_at_a_time_is_tried() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    for _ in range(3):
        breaker.begin()
    breaker.alarm("1/1 brokers are down")
    assert refuses(breaker)
    clock.advance(PAUSE_SECONDS)
    breaker.alarm("1/1 brokers are down")
    for _ in range(3):
        breaker.check()  # a request that turns out to be malformed takes nobody's turn
    breaker.begin()
    assert refuses(breaker)
    clock.advance(PROBE_SECONDS)
    breaker.begin()
    breaker.failed("2/2 brokers are down")
    assert refuses(breaker)
    breaker.succeeded()
    for _ in range(3):
        breaker.begin()
