"""Tests how often a tenant may change what the control plane stores."""

import pytest

from backend.change_rate import BURST_SECONDS, CHANGES_PER_SECOND, ChangeRate
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
