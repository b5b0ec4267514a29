"""Parses and compiles query text on separate threads.

A query of 250 terms takes 20 ms, in which the event loop would serve no other request.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from backend.store.queue import FairQueue, Places
from kit.clock import Clock

THREADS: Final = 2
"""Number of queries that are parsed at once.

Python runs one thread at a time, but with two threads a short query does not wait for a long one of another tenant.
"""

_PLACES: Final = Places(running=1, waiting=200, seconds=10.0)

_T = TypeVar("_T")


class QueryThreads:
    """Threads for query text. Tenants take turns, each with one query at a time. For one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "queries")
        self._queue = FairQueue("query", THREADS, clock)

    async def run(self, tenant_id: int, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, or raises its error.

        Raises RateLimited when the wait for a turn is too long.
        """
        async with self._queue.turn(tenant_id, _PLACES):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Lets the threads end. Work that has not begun is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
