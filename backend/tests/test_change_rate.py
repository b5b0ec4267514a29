"""Tests how often a tenant may change what the control plane stores."""

import pytest

from backend.change_rate import BURST_SECONDS, CHANGES_PER_SECOND, ChangeRate
from kit.clock import ManualClock
from kit.errors import RateLimited

BURST = round(CHANGES_PER_SECOND * BURST_SECONDS)


def test_a_tenant_that_changes_too_often_waits_and_others_do_not() -> None:
    clock = ManualClock()
    rate = ChangeRate(clock)
    for _ in range(BURST):
        rate.count(1)
    with pytest.raises(RateLimited, match="5 changes a second"):
        rate.count(1)
    rate.count(2)
    clock.advance(2 / CHANGES_PER_SECOND)
    rate.count(1)
    rate.count(1)
    with pytest.raises(RateLimited):
        rate.count(1)
