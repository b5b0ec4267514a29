import asyncio
from collections.abc import Awaitable, Callable

import pytest

from backend.store.priority import BURST
from backend.store.queue import FairQueue, QueueLimits
from backend.store.use import RecentUse
from kit.clock import ManualClock, SystemClock
from kit.errors import RateLimited

FEW = QueueLimits(running=2, waiting=1000, seconds=5.0)
ALL = QueueLimits(running=100, waiting=1000, seconds=5.0)


class Jobs:
    """Work that lasts until it is released. Records the order in which it started."""

    def __init__(self, slots: int) -> None:
        self.queue = FairQueue("test", slots, SystemClock())
        self.started: list[int] = []
        self.largest = self._now = 0

    async def run(self, tenant: int, limits: QueueLimits, until: Callable[[], Awaitable[object]]) -> None:
        async with self.queue.slot(tenant, limits):
            self.started.append(tenant)
            self._now += 1
            self.largest = max(self.largest, self._now)
            try:
                await until()
            finally:
                self._now -= 1


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_five_hundred_waiting_do_not_delay_one_of_another_tenant() -> None:
    async def run() -> None:
        jobs = Jobs(slots=4)

        async def briefly() -> None:
            await asyncio.sleep(0)

        greedy = [asyncio.create_task(jobs.run(1, ALL, briefly)) for _ in range(500)]
        await asyncio.sleep(0)
        quiet = asyncio.create_task(jobs.run(2, ALL, briefly))
        await asyncio.gather(*greedy, quiet)
        assert jobs.largest == 4
        assert jobs.started.index(2) <= 8, "it had the next slot but one that was free"

    asyncio.run(run())


def test_slots_alternate_between_tenants_and_each_is_served_first_come_first() -> None:
    async def run() -> None:
        jobs, order = Jobs(slots=1), list[str]()

        async def search(tenant: int, name: str) -> None:
            async with jobs.queue.slot(tenant, ALL):
                order.append(name)
                await asyncio.sleep(0)

        names = [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (2, "b2"), (3, "c1")]
        await asyncio.gather(*(search(tenant, name) for tenant, name in names))
        assert order == ["a1", "a2", "b1", "c1", "a3", "b2"]

    asyncio.run(run())


def test_a_tenant_never_has_more_than_its_share() -> None:
    async def run() -> None:
        jobs, release = Jobs(slots=10), asyncio.Event()
        tasks = [asyncio.create_task(jobs.run(1, FEW, release.wait)) for _ in range(6)]
        await settle()
        assert jobs.started == [1, 1]
        release.set()
        await asyncio.gather(*tasks)
        assert jobs.largest == 2

    asyncio.run(run())


def test_a_full_line_and_a_long_wait_are_refused() -> None:
    async def run() -> None:
        jobs, release = Jobs(slots=1), asyncio.Event()
        holder = asyncio.create_task(jobs.run(1, ALL, release.wait))
        await settle()
        with pytest.raises(
            RateLimited, match=r"waited 0\.01 s in the queue without a turn; .* 0 searches running: try again later$"
        ):
            await jobs.run(2, QueueLimits(running=1, waiting=1, seconds=0.01), release.wait)
        with pytest.raises(RateLimited, match="1 searches running: send fewer concurrent searches, or try again later"):
            await jobs.run(1, QueueLimits(running=1, waiting=1, seconds=0.01), release.wait)
        waiting = asyncio.create_task(jobs.run(2, QueueLimits(1, 1, 5.0), release.wait))
        await settle()
        with pytest.raises(RateLimited, match="waiting, the largest number allowed") as refused:
            await jobs.run(2, QueueLimits(1, 1, 5.0), release.wait)
        assert refused.value.retry_after > 0
        release.set()
        await asyncio.gather(holder, waiting)
        assert jobs.started == [1, 2]

    asyncio.run(run())


@pytest.mark.parametrize("turns", [None, 0, 1, 2])
def test_whoever_is_cancelled_leaves_its_place_and_starts_nothing(turns: int | None) -> None:
    """`turns` counts the turns of the event loop from the end of the slot's holder to the cancellation. None: the slot
    stays taken."""

    async def run() -> None:
        jobs, release = Jobs(slots=1), asyncio.Event()
        holder = asyncio.create_task(jobs.run(1, ALL, release.wait))
        await settle()
        cancelled = asyncio.create_task(jobs.run(2, ALL, release.wait))
        last = asyncio.create_task(jobs.run(3, ALL, release.wait))
        await settle()
        if turns is not None:
            holder.cancel()
            for _ in range(turns):
                await asyncio.sleep(0)
        cancelled.cancel()
        await settle()
        release.set()
        await asyncio.gather(holder, cancelled, last, return_exceptions=True)
        assert not last.cancelled()
        assert jobs.started == [1, 3]
        async with asyncio.timeout(1):
            await jobs.run(4, ALL, release.wait)

    asyncio.run(run())


def test_a_heavy_tenant_has_half_of_the_processors_beside_others_and_all_its_slots_alone() -> None:
    async def run() -> None:
        clock = ManualClock()
        queue = FairQueue("test", 64, clock, RecentUse(clock))
        queue.processors = 2
        running, largest = 0, list[int]()
        ends = [asyncio.Event() for _ in range(40)]

        async def work(end: asyncio.Event) -> None:
            nonlocal running
            async with queue.slot(1, ALL):
                running += 1
                await end.wait()
                running -= 1

        async def let_end(count: int) -> None:
            await settle()
            for _ in range(count):
                ends.pop(0).set()
                await settle()
            largest.append(running)

        async with queue.slot(2, ALL):
            tasks = [asyncio.create_task(work(end)) for end in ends]
            await let_end(0)
            clock.advance(3)
            await let_end(BURST)
        clock.advance(60)
        await let_end(1)
        assert largest == [BURST, 1, 35], (
            "a burst, then half of the processors, and all of them once no other tenant waits"
        )
        for end in ends:
            end.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_a_statement_is_not_refused_if_its_tenant_is_alone_by_the_end_of_the_wait() -> None:
    async def run() -> None:
        clock, release = ManualClock(), asyncio.Event()
        queue = FairQueue("test", 64, clock, RecentUse(clock))
        running = 0

        async def work() -> None:
            nonlocal running
            async with queue.slot(1, QueueLimits(running=100, waiting=100, seconds=0.01)):
                running += 1
                await release.wait()

        async with queue.slot(2, ALL):
            pass
        tasks = [asyncio.create_task(work()) for _ in range(BURST + 2)]
        await asyncio.sleep(0)
        # Their times to wait have begun, but none of them can have passed in the same turn of the event loop.
        clock.advance(60)
        while running < len(tasks) and not any(task.done() for task in tasks):
            await asyncio.sleep(0.001)
        assert running == len(tasks)
        release.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())
