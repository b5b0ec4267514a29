"""Decodes large requests outside the event loop, one at a time for each tenant."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from kit.errors import RateLimited

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

THREADS = 2
SLOT_SECONDS = 5.0
"""Seconds that a request waits for other requests of its tenant. An exporter's timeout is 10 s."""


class DecodePool:
    """Two threads, for work that releases Python's global lock.

    Only one request of a tenant is decoded at a time. A thread is therefore free for other tenants, however much one
    tenant sends.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="decode")
        self._slots: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def in_thread(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Runs `work` in a thread and returns its result or raises its error. Raises RateLimited if the tenant's other
        requests take too long."""
        slot = self._slots[tenant_id]
        try:
            async with asyncio.timeout(SLOT_SECONDS):
                await slot.acquire()
        except TimeoutError:
            raise RateLimited(
                "the tenant's large requests arrive faster than they can be decoded; send smaller or fewer requests"
            ) from None
        try:
            job = asyncio.wrap_future(self._threads.submit(work, *args, **kwargs))
        except BaseException:
            slot.release()
            raise
        # If the sender disconnects, its request ends but the work does not. The slot is held as long as the work runs.
        job.add_done_callback(lambda _: slot.release())
        return await asyncio.shield(job)

    def close(self) -> None:
        self._threads.shutdown()
