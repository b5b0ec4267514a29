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
        assert await known.of("a") == 1
        clock.advance(MAX_AGES.fresh - 1)
        assert await known.of("a") == 1
        await settle()
        assert counter.requested == ["a"]

    kept(test)


def test_a_stale_value_serves_while_it_is_refreshed_once() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a")
        clock.advance(MAX_AGES.fresh)
        assert [await known.of("a"), await known.of("a")] == [1, 1]
        await settle()
        assert await known.of("a") == 2
        assert counter.requested == ["a", "a"]

    kept(test)


def test_a_value_that_is_too_old_is_waited_for_and_its_error_raised() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a")
        clock.advance(MAX_AGES.stale)
        counter.unreachable = True
        with pytest.raises(Unavailable):
            await known.of("a")
        counter.unreachable = False
        assert await known.of("a") == 3

    kept(test)


def test_an_error_behind_a_search_costs_nothing_and_is_tried_again() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, clock: ManualClock) -> None:
        await known.of("a")
        clock.advance(MAX_AGES.fresh)
        counter.unreachable = True
        assert await known.of("a") == 1
        await settle()
        counter.unreachable = False
        assert await known.of("a") == 1
        await settle()
        assert await known.of("a") == 3

    kept(test)


def test_another_value_serves_until_the_right_one_is_known() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        await known.of("a")
        assert await known.of("b", instead="a") == 1
        await settle()
        assert await known.of("b", instead="a") == 2
        assert counter.requested == ["a", "b"]

    kept(test)


def test_few_values_are_kept() -> None:
    async def test(known: Refreshed[str, int], counter: _Counter, _: ManualClock) -> None:
        for key in ("a", "b", "c", "a"):
            await known.of(key)
        assert counter.requested == ["a", "b", "c", "a"]

    kept(test, kept_values=2)
