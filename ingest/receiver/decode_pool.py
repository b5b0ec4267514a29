"""Decodes large requests beside the event loop, one at a time for each tenant."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

import structlog

from kit.errors import RateLimited, Unavailable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

log = structlog.get_logger()

THREADS = 2
TURN_SECONDS = 5.0
"""Seconds that a tenant's request waits for the tenant's request before it; an exporter gives up after 10 s."""

LOWER_PRIORITY = 5


class DecodePool:
    """Two threads, and a process for what would hold Python's global lock for too long.

    A tenant has a turn at a time: however much it sends, another tenant's request finds a thread free.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="decode")
        self._process: ProcessPoolExecutor | None = None
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def in_thread(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Returns the result of `work`, or raises its error. Raises RateLimited when the tenant's turn does not come in
        time."""
        return await self._in(lambda: self._threads, tenant_id, work, *args, **kwargs)

    async def in_process(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Runs a module's function with arguments that can be pickled in the process, otherwise like `in_thread`.
        Raises Unavailable if the process died."""
        try:
            return await self._in(self._started_process, tenant_id, work, *args, **kwargs)
        except BrokenProcessPool:
            log.error("the process that decodes large requests died", tenant_id=tenant_id)
            self._process = None
            raise Unavailable("the process that decoded the request ended; send it again") from None

    def close(self) -> None:
        self._threads.shutdown()
        if self._process is not None:
            self._process.shutdown()

    async def _in(
        self,
        executor: Callable[[], Executor],
        tenant_id: int,
        work: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        turn = self._turns[tenant_id]
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await turn.acquire()
        except TimeoutError:
            raise RateLimited(
                "the tenant's large requests arrive faster than they can be decoded; send smaller or fewer requests"
            ) from None
        try:
            job = asyncio.wrap_future(executor().submit(work, *args, **kwargs))
        except BaseException:
            turn.release()
            raise
        # A sender that goes away ends its request, not the work: the turn lasts as long as that does.
        job.add_done_callback(lambda _: turn.release())
        return await asyncio.shield(job)

    def _started_process(self) -> ProcessPoolExecutor:
        """Starts the process when it is first needed. Does not fork, because this process has threads of gRPC and
        librdkafka."""
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._process = ProcessPoolExecutor(1, mp_context=context, initializer=_begin_process)
        return self._process


def _begin_process() -> None:
    """Gives the process a low priority, so that large requests wait for small ones, and ends it with its parent."""
    os.nice(LOWER_PRIORITY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
