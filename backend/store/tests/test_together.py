"""Tests that no read of a request goes on after another one has failed."""

import asyncio

import pytest

from backend.store.together import AT_ONCE, all_of, each_of
from kit.errors import QueryTooExpensive


async def endless(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("endless")


def test_results_come_in_order() -> None:
    async def after(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(all_of(after(turns) for turns in (3, 1, 2))) == [3, 1, 2]


def test_an_error_ends_the_other_reads_before_it_is_raised() -> None:
    ended = list[str]()

    async def failing() -> None:
        await asyncio.sleep(0)
        raise QueryTooExpensive("too much")

    async def run() -> None:
        with pytest.raises(QueryTooExpensive):
            await all_of((endless(ended), failing(), endless(ended)))
        assert ended == ["endless", "endless"]

    asyncio.run(run())


def test_whoever_is_cancelled_ends_all_reads() -> None:
    ended = list[str]()

    async def run() -> None:
        reading = asyncio.create_task(all_of((endless(ended), endless(ended))))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert ended == ["endless", "endless"]

    asyncio.run(run())


def test_each_item_is_read_in_its_turn_and_few_at_once() -> None:
    started = list[int]()
    running = largest = 0

    async def read(item: int) -> int:
        nonlocal running, largest
        started.append(item)
        running += 1
        largest = max(largest, running)
        # Later items of a group end earlier.
        for _ in range(AT_ONCE - item % AT_ONCE):
            await asyncio.sleep(0)
        running -= 1
        return item

    items = range(4 * AT_ONCE + 1)
    assert asyncio.run(each_of(items, read)) == list(items)
    assert started == list(items)
    assert largest == AT_ONCE


def test_an_error_among_many_items_is_raised_and_ends_the_reads() -> None:
    ended = list[str]()

    async def read(item: int) -> None:
        if item == AT_ONCE - 1:
            raise QueryTooExpensive("too much")
        await endless(ended)

    async def run() -> None:
        with pytest.raises(QueryTooExpensive):
            await each_of(range(10 * AT_ONCE), read)
        assert AT_ONCE - 1 <= len(ended) <= AT_ONCE
        running = asyncio.all_tasks() - {asyncio.current_task()}
        assert not running

    asyncio.run(run())
