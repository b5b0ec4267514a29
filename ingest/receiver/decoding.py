"""Threads for what takes long, so that it holds up neither the event loop nor other tenants."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from kit.errors import RateLimited

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

THREADS = 2
TURN_SECONDS = 5.0
"""How long a tenant's request waits for the one before it; an exporter gives up after 10 s."""


class DecodingThreads:
    """A tenant has one thread at a time: however much it sends, another tenant's request finds a thread free."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="decode")
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def run(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """What `work` returns. Raises RateLimited when the tenant's turn does not come in time, and what it raises."""
        turn = self._turns[tenant_id]
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await turn.acquire()
        except TimeoutError:
            raise RateLimited("the tenant's large requests come faster than they can be decoded") from None
        job = asyncio.wrap_future(self._threads.submit(work, *args, **kwargs))
        # A sender that goes away ends its request, not the thread's work: the turn lasts as long as that does.
        job.add_done_callback(lambda _: turn.release())
        return await asyncio.shield(job)

    def close(self) -> None:
        self._threads.shutdown()
