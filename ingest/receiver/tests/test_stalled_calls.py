"""Tests how many gRPC calls that stall leave memory for a call of another tenant, as the documentation says."""

from collections.abc import Iterable
from contextlib import ExitStack
from itertools import count, repeat

import pytest

from ingest.receiver.grpc import CALL_BYTES
from ingest.receiver.memory import MemoryBudget
from kit.errors import RetryableError

MIB = 2**20
LARGEST = 16 * MIB


def received(size: int, tenants: Iterable[int]) -> int:
    """Returns how many calls are received at the same time with a budget of this size, one of each tenant in turn."""
    with ExitStack() as held:
        budget = MemoryBudget(size)
        for number, tenant in enumerate(tenants):
            share = held.enter_context(budget.share(tenant))
            try:
                share.grow(CALL_BYTES)
                share.grow(LARGEST)
            except RetryableError:
                return number
    raise AssertionError("the budget has no end")


@pytest.mark.parametrize(("size", "stalled"), [(64 * MIB, 1), (128 * MIB, 5), (256 * MIB, 13)])
def test_a_call_is_received_beside_stalled_calls_of_other_tenants(size: int, stalled: int) -> None:
    assert received(size, count()) == stalled + 1


@pytest.mark.parametrize(("size", "calls"), [(64 * MIB, 1), (128 * MIB, 3), (256 * MIB, 7)])
def test_a_tenant_may_have_calls_of_half_the_memory(size: int, calls: int) -> None:
    assert received(size, repeat(1)) == calls
