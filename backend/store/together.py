"""Runs several reads of one request at the same time."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

Item = TypeVar("Item")
T = TypeVar("T")

AT_ONCE: Final = 16
"""Number of reads of `each_of` that run at the same time. A tenant may have 256 tables, 64 lanes on each of four
shards. A search that reads all of them in one slot would otherwise send as many statements at once."""


async def all_of(reading: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Returns all results, in order. After the first error, cancels the others and waits until they have ended.

    `asyncio.gather` alone would leave them running after the request has failed, in slots of the tenant, and a client
    that disconnects could not stop them any more.
    """
    tasks = [asyncio.create_task(each) for each in reading]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def each_of(items: Iterable[Item], read: Callable[[Item], Coroutine[Any, Any, T]]) -> list[T]:
    """Returns what `read` returns for each item, in order. At most AT_ONCE reads run at the same time, and they start
    in order. After the first error, behaves like `all_of`."""
    places = asyncio.Semaphore(AT_ONCE)

    async def in_place(item: Item) -> T:
        async with places:
            return await read(item)

    return await all_of(map(in_place, items))
