"""Decodes large requests beside the event loop, one at a time for each tenant."""

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
"""Seconds that a tenant's request waits for the tenant's request before it; an exporter gives up after 10 s."""


class DecodePool:
    """Two threads, for work that does not hold Python's global lock.

    A tenant has a turn at a time: however much it sends, another tenant's request finds a thread free.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="decode")
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def in_thread(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Returns the result of `work`, or raises its error. Raises RateLimited when the tenant's turn does not come in
        time."""
        turn = self._turns[tenant_id]
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await turn.acquire()
        except TimeoutError:
            raise RateLimited(
                "the tenant's large requests arrive faster than they can be decoded; send smaller or fewer requests"
            ) from None
        try:
            job = asyncio.wrap_future(self._threads.submit(work, *args, **kwargs))
        except BaseException:
            turn.release()
            raise
        # A sender that goes away ends its request, not the work: the turn lasts as long as that does.
        job.add_done_callback(lambda _: turn.release())
        return await asyncio.shield(job)

    def close(self) -> None:
        self._threads.shutdown()
