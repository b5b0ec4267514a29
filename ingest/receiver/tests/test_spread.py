import random

from ingest.receiver.spread import WINDOW_SECONDS, Spread
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from schema.tenant_partitions import MAX_WAYS, tenant_key

RATE = 1000


def keys(spread: Spread, tenant_id: int, size: int, count: int) -> set[bytes]:
    return {spread.key(tenant_id, size) for _ in range(count)}


def test_a_small_tenant_has_one_key() -> None:
    clock = ManualClock(NOW)
    spread = Spread(RATE, clock, random.Random(1))
    for _ in range(10):
        assert keys(spread, 7, 100, 90) == {b"7"}
        clock.advance(WINDOW_SECONDS)


def test_a_big_one_has_a_key_for_each_time_the_rate_and_loses_them_again() -> None:
    clock = ManualClock(NOW)
    spread = Spread(RATE, clock, random.Random(1))
    keys(spread, 7, 1000, 35)
    clock.advance(WINDOW_SECONDS)
    assert keys(spread, 7, 1, 200) == {b"7", b"7/1", b"7/2", b"7/3"}
    assert keys(spread, 8, 1, 200) == {b"8"}
    clock.advance(2 * WINDOW_SECONDS)
    assert keys(spread, 7, 1, 200) == {b"7"}


def test_no_tenant_has_more_keys_than_a_tail_reads() -> None:
    spread = Spread(RATE, ManualClock(NOW), random.Random(1))
    keys(spread, 7, 1000, 500)
    assert keys(spread, 7, 1, 500) == {tenant_key(7, way) for way in range(MAX_WAYS)}
