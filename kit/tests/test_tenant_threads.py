"""Tests who gets a thread: each tenant one at a time, and one of them only tenants with little recent work."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from kit import tenant_threads
from kit.clock import ManualClock
from kit.tenant_threads import HALF_LIFE_SECONDS, HEAVY_SECONDS, THREADS, TenantThreads


class Jobs:
    """Threads, and jobs that run until they are ended."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.threads = TenantThreads("test", self.clock, processor_seconds=self.clock.monotonic)
        self.running: list[int] = []
        self._end: dict[int, threading.Event] = {}

    def start(self, tenant_id: int, *, may_be_slow: bool = False) -> asyncio.Task[None]:
        """Starts a job of a tenant. The job waits if the tenant may not have a thread."""
        end = self._end[tenant_id] = threading.Event()

        def work() -> None:
            self.running.append(tenant_id)
            assert end.wait(30)

        return asyncio.create_task(self.threads.run(tenant_id, work, may_be_slow=may_be_slow))

    async def end(self, tenant_id: int, job: asyncio.Task[None]) -> None:
        self._end[tenant_id].set()
        await job

    async def work(self, tenant_id: int, seconds: float) -> None:
        """Runs a job that takes these seconds by the clock."""
        await self.threads.run(tenant_id, partial(self.clock.advance, seconds))

    async def leave_one_thread(self, *tenants: int, may_be_slow: bool = False) -> None:
        """Checks that jobs of as many tenants as there are threads leave one to another tenant. Ends the jobs."""
        running = [self.start(tenant_id, may_be_slow=may_be_slow) for tenant_id in tenants]
        await self.until_running(*tenants[:-1])
        assert await self.threads.run(9, lambda: "light") == "light"
        assert sorted(self.running) == list(tenants[:-1])
        for tenant_id, job in zip(tenants, running, strict=True):
            await self.end(tenant_id, job)
        assert sorted(self.running) == list(tenants)

    async def until_running(self, *tenants: int) -> None:
        async with asyncio.timeout(30):
            while sorted(self.running) != sorted(tenants):
                await asyncio.sleep(0.001)


def run(test: Callable[[Jobs], Awaitable[None]]) -> None:
    async def body() -> None:
        jobs = Jobs()
        await test(jobs)
        jobs.threads.close()

    asyncio.run(body())


def test_a_tenant_has_one_thread_at_a_time_and_others_do_not_wait_for_it() -> None:
    async def test(jobs: Jobs) -> None:
        first = jobs.start(1)
        await jobs.until_running(1)
        second = asyncio.create_task(jobs.threads.run(1, lambda: "second"))
        assert await jobs.threads.run(2, lambda: "other") == "other"
        assert not second.done()
        await jobs.end(1, first)
        assert await second == "second"

    run(test)


def test_tenants_whose_work_took_long_leave_one_thread_to_others() -> None:
    async def test(jobs: Jobs) -> None:
        heavy = range(1, THREADS + 1)
        for tenant_id in heavy:
            await jobs.work(tenant_id, 2 * HEAVY_SECONDS)
        await jobs.leave_one_thread(*heavy)

    run(test)


def test_slow_work_leaves_one_thread_from_the_start() -> None:
    async def test(jobs: Jobs) -> None:
        await jobs.leave_one_thread(*range(1, THREADS + 1), may_be_slow=True)

    run(test)


def test_work_counts_less_and_less() -> None:
    async def test(jobs: Jobs) -> None:
        tenants = range(1, THREADS + 1)
        for tenant_id in tenants:
            await jobs.work(tenant_id, 2 * HEAVY_SECONDS)
        jobs.clock.advance(2 * HALF_LIFE_SECONDS)
        running = [jobs.start(tenant_id) for tenant_id in tenants]
        await jobs.until_running(*tenants)
        for tenant_id, job in zip(tenants, running, strict=True):
            await jobs.end(tenant_id, job)

    run(test)


def test_short_work_adds_up() -> None:
    async def test(jobs: Jobs) -> None:
        tenants = range(1, THREADS + 1)
        for tenant_id in tenants:
            for _ in range(20):
                await jobs.work(tenant_id, HEAVY_SECONDS / 10)
        await jobs.leave_one_thread(*tenants)

    run(test)


def test_tenants_with_next_to_no_work_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenant_threads, "KEPT", 2)

    async def test(jobs: Jobs) -> None:
        await jobs.work(1, 2 * HEAVY_SECONDS)
        for tenant_id in range(2, 6):
            await jobs.work(tenant_id, 0.001)
        assert set(jobs.threads._recent) == {1}

    run(test)


def test_an_error_and_a_client_that_disconnects_give_the_thread_back() -> None:
    def fail() -> None:
        raise ValueError("malformed")

    async def test(jobs: Jobs) -> None:
        for _ in range(THREADS + 1):
            with pytest.raises(ValueError, match="malformed"):
                await jobs.threads.run(1, fail)
        cancelled = jobs.start(1)
        await jobs.until_running(1)
        cancelled.cancel()
        waiting = asyncio.create_task(jobs.threads.run(1, lambda: "next"))
        assert await jobs.threads.run(2, lambda: "other") == "other"
        assert not waiting.done()
        jobs._end[1].set()
        assert await waiting == "next"

    run(test)


def test_a_turn_that_does_not_come_is_a_timeout() -> None:
    async def test(jobs: Jobs) -> None:
        first = jobs.start(1)
        await jobs.until_running(1)
        with pytest.raises(TimeoutError):
            await jobs.threads.run(1, lambda: "second", turn_seconds=0.01)
        await jobs.end(1, first)
        assert await jobs.threads.run(1, lambda: "third") == "third"

    run(test)
