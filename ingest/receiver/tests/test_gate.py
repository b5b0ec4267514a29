from dataclasses import replace

import pytest

from ingest.receiver.gate import BURST_SECONDS, MAX_RETRY_SECONDS, Gate, Limit, OverLimit
from ingest.receiver.tests.fakes import NOW, TENANT, DayBytes
from kit.clock import ManualClock
from kit.token_bucket import TokenBucket
from schema.control.directory import Tenant
from schema.control.limits import Limits


def tenant(**limits: int) -> Tenant:
    return replace(TENANT, limits=Limits(**limits))


def test_a_bucket_lets_through_while_it_is_not_empty_and_names_the_wait() -> None:
    clock = ManualClock(NOW)
    bucket = TokenBucket(rate=10, burst_seconds=2, clock=clock)
    assert bucket.wait() == 0
    bucket.take(50)
    assert bucket.wait() == pytest.approx(3, abs=0.01)
    clock.advance(2.9)
    assert bucket.wait() > 0
    clock.advance(0.2)
    assert bucket.wait() == 0


def test_a_bucket_saves_up_no_more_than_its_burst() -> None:
    clock = ManualClock(NOW)
    bucket = TokenBucket(rate=10, burst_seconds=2, clock=clock)
    clock.advance(3600)
    assert bucket.wait() == 0
    bucket.take(20)
    assert 0 < bucket.wait() <= 0.001


def test_the_average_is_the_rate_whatever_the_requests_size() -> None:
    clock = ManualClock(NOW)
    gate = Gate(1.0, DayBytes(), clock)
    limited = tenant(bytes_per_second=1000)
    passed = 0
    for _ in range(100_000):
        clock.advance(0.01)
        try:
            gate.take_bytes(limited, 7001)
        except OverLimit:
            continue
        passed += 7001
    assert passed == pytest.approx(1000 * (1000 + BURST_SECONDS), rel=0.01)


def test_each_worker_passes_its_share() -> None:
    clock = ManualClock(NOW)
    gate = Gate(0.25, DayBytes(), clock)
    limited = tenant(records_per_second=100)
    gate.take_records(limited, round(25 * BURST_SECONDS) + 50)
    with pytest.raises(OverLimit) as refused:
        gate.check(limited)
    assert refused.value.limit is Limit.records_per_second
    assert refused.value.retry_after == pytest.approx(2)


def test_limits_that_change_hold_at_once() -> None:
    gate = Gate(1.0, DayBytes(), ManualClock(NOW))
    gate.take_bytes(tenant(bytes_per_second=1), 10_000_000)
    with pytest.raises(OverLimit) as refused:
        gate.check(tenant(bytes_per_second=1))
    assert refused.value.retry_after == MAX_RETRY_SECONDS
    gate.check(tenant())
    gate.check(tenant(bytes_per_second=2))


def test_rows_that_cost_more_than_their_bytes_are_paid_by_later_requests() -> None:
    clock = ManualClock(NOW)
    gate = Gate(1.0, DayBytes(), clock)
    limited = tenant(bytes_per_second=1000)
    gate.take_bytes(limited, 100)
    gate.take_rows(limited, 100, 9000)
    with pytest.raises(OverLimit) as refused:
        gate.check(limited)
    assert refused.value.limit is Limit.bytes_per_second
    assert refused.value.retry_after == pytest.approx(9 - BURST_SECONDS)


def test_of_requests_that_are_decoded_side_by_side_rows_of_one_keep_out_the_others() -> None:
    gate = Gate(1.0, DayBytes(), ManualClock(NOW))
    limited = tenant(bytes_per_second=1000)
    for _ in range(3):
        gate.take_bytes(limited, 100)
    gate.take_rows(limited, 100, 9000)
    for _ in range(2):
        with pytest.raises(OverLimit) as refused:
            gate.take_rows(limited, 100, 9000)
        assert refused.value.retry_after == pytest.approx(9.2 - BURST_SECONDS - 0.1)


def test_a_request_does_not_keep_out_itself() -> None:
    gate = Gate(1.0, DayBytes(), ManualClock(NOW))
    limited = tenant(bytes_per_second=1000)
    gate.take_bytes(limited, 90_000)
    gate.take_rows(limited, 90_000, 100_000)


def test_rows_that_cost_less_than_their_bytes_cost_nothing_more() -> None:
    gate = Gate(1.0, DayBytes(), ManualClock(NOW))
    limited = tenant(bytes_per_second=1000)
    gate.take_bytes(limited, 4990)
    gate.take_rows(limited, 4990, 4980)
    gate.check(limited)


def test_a_days_quota_ends_with_the_day() -> None:
    quota = DayBytes()
    gate = Gate(1.0, quota, ManualClock(NOW))
    limited = tenant(bytes_per_day=100)
    quota.sent(limited.id, 99)
    gate.check(limited)
    quota.sent(limited.id, 1)
    with pytest.raises(OverLimit) as refused:
        gate.check(limited)
    assert (refused.value.limit, refused.value.retry_after) == (Limit.bytes_per_day, MAX_RETRY_SECONDS)


def test_one_tenants_limit_is_not_anothers() -> None:
    gate = Gate(1.0, DayBytes(), ManualClock(NOW))
    gate.take_bytes(tenant(bytes_per_second=1), 1000)
    gate.check(replace(tenant(bytes_per_second=1), id=8))
