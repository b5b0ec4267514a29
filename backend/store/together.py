"""Runs several reads of one request at the same time."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


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
