"""Tests of values that are refreshed in the background of searches."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from backend.store.plans.refreshed import MaxAges, Refreshed
from kit.clock import ManualClock
from kit.errors import Unavailable

MAX_AGES = MaxAges(fresh=30.0, stale=600.0)


class _Counter:
    """Answers with the number of its reads, or with an error while it is `unreachable`."""

    def __init__(self) -> None:
        self.requested: list[str] = []
        self.unreachable = False

    async def read(self, key: str) -> int:
        self.requested.append(key)
        await asyncio.sleep(0)
        if self.unreachable:
            raise Unavailable("unreachable")
        return len(self.requested)


def kept(
    test: Callable[[Refreshed[str, int], _Counter, ManualClock], Coroutine[Any, Any, None]], kept_values: int = 10
) -> None:
    counter, clock = _Counter(), ManualClock()
    asyncio.run(test(Refreshed(counter.read, MAX_AGES, kept_values, clock), counter, clock))


async def settle() -> None:
    """Lets tasks that were started end."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_fresh_value_is_read_once() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        assert await known.of("a", 1) == 1
        clock.advance(MAX_AGES.fresh - 1)
        assert await known.of("a", 1) == 1
        await settle()
        assert counter.requested == ["a"]

    kept(test)


def test_a_stale_value_serves_while_it_is_refreshed_once() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a", 1)
        clock.advance(MAX_AGES.fresh)
        assert [await known.of("a", 1), await known.of("a", 1)] == [1, 1]
        await settle()
        assert await known.of("a", 1) == 2
        assert counter.requested == ["a", "a"]

    kept(test)


def test_a_value_that_is_too_old_is_waited_for_and_its_error_raised() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a", 1)
        clock.advance(MAX_AGES.stale)
        counter.unreachable = True
        with pytest.raises(Unavailable):
            await known.of("a", 1)
        counter.unreachable = False
        assert await known.of("a", 1) == 3

    kept(test)


def test_an_error_behind_a_search_costs_nothing_and_is_tried_again() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a", 1)
        clock.advance(MAX_AGES.fresh)
        counter.unreachable = True
        assert await known.of("a", 1) == 1
        await settle()
        counter.unreachable = False
        assert await known.of("a", 1) == 1
        await settle()
        assert await known.of("a", 1) == 3

    kept(test)


def test_another_value_serves_until_the_right_one_is_known() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        await known.of("a", 1)
        assert await known.of("b", 1, instead="a") == 1
        await settle()
        assert await known.of("b", 1, instead="a") == 2
        assert counter.requested == ["a", "b"]

    kept(test)


def test_concurrent_searches_of_a_tenant_share_a_read() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        found = await asyncio.gather(known.of("a", 1), known.of("a", 1), known.of("a", 2), known.of("b", 1))
        assert found[0] == found[1]
        assert counter.requested == ["a", "a", "b"]

    kept(test)


def test_an_error_reaches_every_search_that_waits_and_the_next_search_reads_again() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        counter.unreachable = True
        found = await asyncio.gather(known.of("a", 1), known.of("a", 1), return_exceptions=True)
        assert [type(each) for each in found] == [Unavailable, Unavailable]
        counter.unreachable = False
        assert await known.of("a", 1) == 2

    kept(test)


def test_a_search_that_is_cancelled_leaves_the_read_to_the_others() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        first, second = (asyncio.create_task(known.of("a", 1)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == 1
        assert counter.requested == ["a"]

    kept(test)


def test_few_values_are_kept() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        for key in ("a", "b", "c", "a"):
            await known.of(key, 1)
        assert counter.requested == ["a", "b", "c", "a"]

    kept(test, kept_values=2)
