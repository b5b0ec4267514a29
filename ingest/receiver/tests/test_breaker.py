import pytest

from ingest.receiver.breaker import PROBE_SECONDS, Breaker
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from kit.errors import Unavailable


def test_while_open_one_request_a_second_finds_out() -> None:
    clock = ManualClock(NOW)
    breaker = Breaker(clock)
    breaker.check()
    breaker.failed("1/1 brokers are down")
    breaker.check()
    for _ in range(3):
        with pytest.raises(Unavailable, match="1/1 brokers are down"):
            breaker.check()
    clock.advance(PROBE_SECONDS)
    breaker.check()
    breaker.failed("timed out")
    with pytest.raises(Unavailable):
        breaker.check()
    breaker.succeeded()
    for _ in range(3):
        breaker.check()
