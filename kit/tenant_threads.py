"""Threads for work of tenants that releases Python's global lock, such as decoding requests and writing answers.

No tenant can occupy all of them, because a tenant has one thread at a time. Slow work, and work of tenants that used
much processor time lately, leaves one thread free for other work.
"""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

from kit.clock import Clock

Result = TypeVar("Result")

THREADS: Final = 3

HEAVY_SECONDS: Final = 1.0
"""Processor time of recent work, in seconds, from which on all work of a tenant counts as slow."""

HALF_LIFE_SECONDS: Final = 10.0
"""Seconds after which work counts half as recent work."""

KEPT: Final = 1_000
"""Largest number of remembered tenants before tenants with little recent work are forgotten."""

FORGOTTEN_SECONDS: Final = 0.01
"""Processor time of recent work, in seconds, below which a tenant is forgotten when there are more than KEPT."""


@dataclass(frozen=True, slots=True)
class _Recent:
    """Processor time of a tenant's recent work in seconds, as it counted at the time `at`."""

    seconds: float
    at: float

    def counted(self, now: float) -> float:
        """Returns the seconds as they count now."""
        return self.seconds * math.exp2((self.at - now) / HALF_LIFE_SECONDS)


class TenantThreads:
    """Runs work of tenants on a few threads. Use it from one event loop only."""

    def __init__(
        self,
        name: str,
        clock: Clock,
        processor_seconds: Callable[[], float] = time.thread_time,
    ) -> None:
        """`name` is the prefix of the threads' names. `processor_seconds` returns the processor time of the thread that
        calls it."""
        self._threads = ThreadPoolExecutor(THREADS, name)
        self._clock = clock
        self._processor_seconds = processor_seconds
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._all = asyncio.Semaphore(THREADS)
        self._all_but_one = asyncio.Semaphore(THREADS - 1)
        self._recent: dict[int, _Recent] = {}
        self._forget_from = KEPT
        """Number of remembered tenants at which tenants with little recent work are forgotten next."""

    async def run(
        self,
        tenant_id: int,
        work: Callable[[], Result],
        *,
        may_be_slow: bool = False,
        turn_seconds: float | None = None,
    ) -> Result:
        """Runs `work` in a thread and returns its result or raises its error.

        With `may_be_slow`, the work counts as slow from the start. `turn_seconds` is the longest wait for earlier work
        of the tenant, without end if None. Raises TimeoutError if this wait takes longer.
        """
        with ExitStack() as held:
            turn = self._turns.setdefault(tenant_id, asyncio.Lock())
            async with asyncio.timeout(turn_seconds):
                await turn.acquire()
            held.callback(turn.release)
            for places in self._places(may_be_slow or self._is_heavy(tenant_id)):
                await places.acquire()
                held.callback(places.release)
            timed = _Timed(work, self._processor_seconds)
            job = asyncio.wrap_future(self._threads.submit(timed))
            # If the client disconnects, its request ends but the work does not. Its place is held until the work ends.
            until_done = held.pop_all()
            until_done.callback(lambda: self._note(tenant_id, timed.seconds))
            job.add_done_callback(lambda _: until_done.close())
        return await asyncio.shield(job)

    def close(self) -> None:
        """Waits for running work, and ends the threads."""
        self._threads.shutdown()

    def _places(self, is_slow: bool) -> Sequence[asyncio.Semaphore]:
        """Returns the semaphores that work holds while it runs."""
        return (self._all_but_one, self._all) if is_slow else (self._all,)

    def _is_heavy(self, tenant_id: int) -> bool:
        recent = self._recent.get(tenant_id)
        return recent is not None and recent.counted(self._clock.monotonic()) > HEAVY_SECONDS

    def _note(self, tenant_id: int, seconds: float) -> None:
        now = self._clock.monotonic()
        before = self._recent.get(tenant_id, _Recent(0.0, now)).counted(now)
        self._recent[tenant_id] = _Recent(before + seconds, now)
        if len(self._recent) > self._forget_from:
            self._recent = {
                each: recent for each, recent in self._recent.items() if recent.counted(now) >= FORGOTTEN_SECONDS
            }
            self._forget_from = max(KEPT, 2 * len(self._recent))


class _Timed(Generic[Result]):
    """Work that measures how much processor time it takes. Time in which its thread waits does not count."""

    def __init__(self, work: Callable[[], Result], processor_seconds: Callable[[], float]) -> None:
        self._work = work
        self._processor_seconds = processor_seconds
        self.seconds = 0.0

    def __call__(self) -> Result:
        started = self._processor_seconds()
        try:
            return self._work()
        finally:
            self.seconds = self._processor_seconds() - started
