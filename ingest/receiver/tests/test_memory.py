import asyncio
import contextlib

import pytest

from ingest.receiver.memory import MemoryBudget
from kit.errors import RateLimited, Unavailable


def test_what_goes_beyond_is_refused_and_comes_back_at_the_end() -> None:
    budget = MemoryBudget(20)
    with budget.share(1) as first:
        first.grow(10)
        with budget.share(2) as second, pytest.raises(Unavailable):
            second.grow(11)
    with budget.share(2) as third:
        third.grow(10)


def test_a_tenant_may_hold_what_is_left_after_it() -> None:
    budget = MemoryBudget(30)
    with budget.share(1) as one, budget.share(1) as more, budget.share(2) as other:
        one.grow(10)
        more.grow(5)
        with pytest.raises(RateLimited):
            more.grow(1)
        other.grow(7)
        with pytest.raises(Unavailable):
            other.grow(1)


def test_only_a_tenant_with_more_than_an_equal_part_is_over_its_limit() -> None:
    budget = MemoryBudget(40)
    with budget.share(1) as large, budget.share(2) as small, budget.share(3) as none:
        large.grow(18)
        small.grow(7)
        with pytest.raises(Unavailable, match="requests of other tenants"):
            none.grow(8)
        with pytest.raises(Unavailable, match="requests of other tenants"):
            small.grow(5)
        large.shrink(10)
        small.grow(6)
        with pytest.raises(RateLimited, match="this tenant's part"):
            small.grow(4)


def test_a_request_that_fails_gives_its_share_back() -> None:
    budget = MemoryBudget(20)
    with contextlib.suppress(ValueError), budget.share(1) as share:
        share.grow(10)
        raise ValueError
    with budget.share(1) as share:
        share.grow(10)


def test_who_waits_for_room_gets_it_when_it_is_given_back() -> None:
    async def wait() -> None:
        budget = MemoryBudget(20)
        with budget.share(1) as waiting:
            with budget.share(2) as first:
                first.grow(10)
                later = asyncio.create_task(waiting.grow_when_there_is_room(8))
                await asyncio.sleep(0)
                assert not later.done()
                first.shrink(1)
                await asyncio.sleep(0)
                assert not later.done()
            await asyncio.wait_for(later, 1)
            assert waiting.size == 8

    asyncio.run(wait())
