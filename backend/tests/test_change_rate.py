"""Tests how often a tenant may change what the control plane stores."""

import pytest

from backend.change_rate import BURST_SECONDS, CHANGES_PER_DAY, CHANGES_PER_SECOND, ChangeRate
from kit.clock import ManualClock
from kit.errors import RateLimited
from schema.control.models import Purpose

BURST = round(CHANGES_PER_SECOND * BURST_SECONDS)


def test_a_tenant_that_changes_too_often_waits_and_others_do_not() -> None:
    clock = ManualClock()
    rate = ChangeRate(clock)
    for _ in range(BURST):
        rate.count(1, Purpose.query)
    with pytest.raises(RateLimited, match="5 changes a second"):
        rate.count(1, Purpose.query)
    rate.count(2, Purpose.query)
    rate.count(1, Purpose.admin)
    clock.advance(2 / CHANGES_PER_SECOND)
    rate.count(1, Purpose.query)
    rate.count(1, Purpose.query)
    with pytest.raises(RateLimited):
        rate.count(1, Purpose.query)


def test_a_tenant_that_changes_all_day_waits_for_the_next_of_its_changes() -> None:
    clock = ManualClock()
    rate = ChangeRate(clock)
    # While the changes of the day are made, some more become allowed.
    share_of_day = CHANGES_PER_DAY / CHANGES_PER_SECOND / 86_400
    for _ in range(round(CHANGES_PER_DAY / (1 - share_of_day))):
        rate.count(1, Purpose.query)
        clock.advance(1 / CHANGES_PER_SECOND)
    with pytest.raises(RateLimited, match="10,000 changes a day") as refused:
        rate.count(1, Purpose.query)

    # Refused changes do not count, and others are not refused.
    rate.count(2, Purpose.query)
    rate.count(1, Purpose.admin)
    assert 0 < refused.value.retry_after <= 86_400 / CHANGES_PER_DAY
    clock.advance(refused.value.retry_after)
    rate.count(1, Purpose.query)
    with pytest.raises(RateLimited):
        rate.count(1, Purpose.query)
