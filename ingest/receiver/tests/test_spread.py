import random
from collections.abc import Mapping
from types import MappingProxyType

from ingest.receiver.spread import WINDOW_SECONDS, Spread
from ingest.receiver.tests.fakes import NOW
from kit.clock import ManualClock
from schema.tenant_partitions import DEFAULT_WAYS, MAX_WAYS, tenant_key

RATE = 1000


def spread_of(clock: ManualClock, allowed: Mapping[int, int] = MappingProxyType({})) -> Spread:
    """Returns a spread that allows tenants the numbers of keys in `allowed`, and others the default."""
    return Spread(RATE, lambda tenant_id: allowed.get(tenant_id, DEFAULT_WAYS), clock, random.Random(1))


def keys(spread: Spread, tenant_id: int, size: int, count: int) -> set[bytes]:
    return {spread.key(tenant_id, size) for _ in range(count)}


def test_a_small_tenant_has_one_key() -> None:
    clock = ManualClock(NOW)
    spread = spread_of(clock)
    for _ in range(10):
        assert keys(spread, 7, 100, 90) == {b"7"}
        clock.advance(WINDOW_SECONDS)


def test_a_big_one_has_a_key_for_each_time_the_rate_and_loses_them_again() -> None:
    clock = ManualClock(NOW)
    spread = spread_of(clock)
    assert spread.only_key(7) == b"7"
    keys(spread, 7, 1000, 35)
    clock.advance(WINDOW_SECONDS)
    assert spread.only_key(7) is None
    assert keys(spread, 7, 1, 200) == {b"7", b"7/1", b"7/2", b"7/3"}
    assert keys(spread, 8, 1, 200) == {b"8"}
    clock.advance(2 * WINDOW_SECONDS)
    assert keys(spread, 7, 1, 200) == {b"7"}


def test_no_tenant_has_more_keys_than_a_tail_reads() -> None:
    spread = spread_of(ManualClock(NOW), {8: MAX_WAYS, 9: 1})
    for tenant_id, ways in ((7, DEFAULT_WAYS), (8, MAX_WAYS), (9, 1)):
        keys(spread, tenant_id, 1000, 500)
        assert keys(spread, tenant_id, 1, 500) == {tenant_key(tenant_id, way) for way in range(ways)}


def test_a_lower_number_holds_at_once_whatever_the_rate_was() -> None:
    allowed = {8: MAX_WAYS}
    spread = spread_of(ManualClock(NOW), allowed)
    keys(spread, 8, 1000, 500)
    allowed[8] = 2
    assert keys(spread, 8, 1000, 500) == {b"8", b"8/1"}
