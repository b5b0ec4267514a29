"""Tests of a generator that yields None while no piece comes."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from backend.tail.events import Piece
from backend.tail.paced import paced


async def locked(lock: asyncio.Lock, name: bytes) -> AsyncGenerator[Piece | None]:
    async with lock:
        yield Piece(name, 1)


def test_it_keeps_its_place_in_a_queue() -> None:
    async def use() -> list[Piece | None]:
        lock = asyncio.Lock()
        await lock.acquire()
        first, second = paced(locked(lock, b"first"), 0.01), paced(locked(lock, b"second"), 0.01)
        waited = [await anext(each) for _ in range(3) for each in (first, second)]
        lock.release()
        given = [await anext(first), await anext(second)]
        await first.aclose()
        return [*waited, *given, await anext(second)]

    assert asyncio.run(use()) == [None] * 6 + [Piece(b"first", 1), None, Piece(b"second", 1)]


def test_one_that_is_closed_leaves_the_queue() -> None:
    async def use() -> Piece | None:
        lock = asyncio.Lock()
        await lock.acquire()
        left, next_one = paced(locked(lock, b"left"), 0.01), paced(locked(lock, b"next"), 0.01)
        assert [await anext(left), await anext(next_one)] == [None, None]
        await left.aclose()
        lock.release()
        return await anext(next_one)

    assert asyncio.run(use()) == Piece(b"next", 1)


def test_it_ends_and_fails_as_what_it_reads() -> None:
    async def failing() -> AsyncGenerator[Piece | None]:
        yield Piece(b"one", 1)
        raise ValueError("broken")

    async def use() -> list[Piece | None]:
        lock = asyncio.Lock()
        pieces = [piece async for piece in paced(locked(lock, b"only"), 1)]
        broken = paced(failing(), 1)
        pieces.append(await anext(broken))
        with pytest.raises(ValueError, match="broken"):
            await anext(broken)
        return pieces

    assert asyncio.run(use()) == [Piece(b"only", 1), Piece(b"one", 1)]
