"""Tests that no read of a request goes on after another one has failed."""

import asyncio

import pytest

from backend.store.together import all_of
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
