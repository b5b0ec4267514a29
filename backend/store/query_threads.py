"""Runs work that takes processor time on separate threads, such as parsing and compiling query text.

A query of 250 terms takes 20 ms, in which the event loop would serve no other request.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from cachetools import LRUCache

from backend.store.queue import FairQueue, QueueLimits
from kit.clock import Clock

THREADS: Final = 2
"""Number of queries that are parsed concurrently.

Python runs one thread at a time, but with two threads a short query does not wait for a long one of another tenant.
"""

KEPT: Final = 1_000
"""Number of short queries whose result is kept."""

KEPT_CHARACTERS: Final = 200
"""Characters of the longest query whose result is kept."""

LIMITS: Final = QueueLimits(running=1, waiting=200, seconds=10.0)
"""Limits of one tenant's query texts."""

_T = TypeVar("_T")


class QueryThreads:
    """Threads for query text, or for other work that takes processor time. Slots alternate between tenants. Use it from
    one event loop only."""

    def __init__(self, clock: Clock, name: str = "query", limits: QueueLimits = LIMITS) -> None:
        """`name` is the value of the label `queue` in metrics. `limits` are the limits of the work of each tenant."""
        self._limits = limits
        self._threads = ThreadPoolExecutor(THREADS, name)
        self._queue = FairQueue(name, THREADS, clock)
        self._kept: LRUCache[tuple[int, Callable[[str], Any], str], Any] = LRUCache(KEPT)

    async def run(self, tenant_id: int, work: Callable[[], _T]) -> _T:
        """Returns the result of `work`, or raises its error.

        If the caller is cancelled, waits until work that has started ends: the slot stands for the thread. Raises
        RateLimited when too many wait already, or the wait for a slot is too long.
        """
        async with self._queue.slot(tenant_id, self._limits):
            job = self._threads.submit(work)
            done = asyncio.wrap_future(job)
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                if not job.cancel():
                    await asyncio.gather(done, return_exceptions=True)
                raise

    async def read(self, tenant_id: int, work: Callable[[str], _T], text: str) -> _T:
        """Returns the result of `work` for the text of a query, which must follow from the text alone.

        Caches the results of short texts, because a web UI requests a page, counts and fields for one query, and other
        clients request page after page. A thread switch takes longer than parsing a short text. Raises what `run`
        raises.
        """
        key = (tenant_id, work, text)
        if key in self._kept:
            result: _T = self._kept[key]
            return result
        result = await self.run(tenant_id, lambda: work(text))
        if len(text) <= KEPT_CHARACTERS:
            self._kept[key] = result
        return result

    def close(self) -> None:
        """Lets the threads end. Work that has not started is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
