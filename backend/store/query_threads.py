"""Parses and compiles query text off the event loop: a query of 250 terms takes 20 ms, which all other requests of the
process would wait for."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from backend.store.queue import FairQueue, Places
from kit.clock import Clock

THREADS: Final = 2
"""Queries that are parsed at once. One interpreter runs one thread at a time; with two, a short query need not wait for
a long one of another tenant."""

_PLACES: Final = Places(running=1, waiting=200, seconds=10.0)

_T = TypeVar("_T")


class QueryThreads:
    """Threads for query text; tenants take turns, each with one query at a time. For one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "queries")
        self._queue = FairQueue("query", THREADS, clock)

    async def run(self, tenant_id: int, work: Callable[[], _T]) -> _T:
        """Returns what `work` returns, or raises what it raises; RateLimited where no turn comes."""
        async with self._queue.turn(tenant_id, _PLACES):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Lets the threads end. Work that nobody has begun is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
