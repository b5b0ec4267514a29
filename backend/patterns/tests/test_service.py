"""Tests that samples are read and grouped for one request of a tenant at a time, and grouped off the event loop."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from backend.logs.parameters import SearchParameters
from backend.patterns import service
from backend.patterns.groups import Found
from backend.patterns.sample import Sample
from backend.patterns.service import PatternService
from backend.patterns.statements import SampledMessage
from backend.store.compile.filter import Filter
from backend.store.query_threads import QueryThreads
from backend.store.runs import Runs
from backend.store.scope import LATE_RECEIVER_NS, Scope
from backend.store.tests.fake_log_store import FakeLogStore
from kit.clock import SystemClock
from kit.errors import QueryTooExpensive, RateLimited
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import FormerLane, TenantLanes

REQUESTED = SearchParameters(query="a", start=2 * 10**18, end=2 * 10**18 + 10)


def tenant(number: int) -> Tenant:
    return Tenant(number, f"t{number}", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)


class Grouping:
    """Takes the place of `find_patterns`. Samples of tenant 1 are grouped when the test allows it."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.started, self.released = threading.Event(), threading.Event()

    def find(self, sample: Sample, _earlier: Sequence[SampledMessage], _limit: int) -> Found:
        self.threads.append(threading.get_ident())
        if sample.messages[0].body == "1":
            self.started.set()
            self.released.wait(60)
        return Found(0, [])


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[PatternService]:
    """Yields a service whose samples the tests replace."""
    clock = SystemClock()
    queries = QueryThreads(clock)
    patterns = PatternService(settings or Settings(), FakeLogStore([]), clock, queries)
    try:
        yield patterns
    finally:
        patterns.close()
        queries.close()


async def read(_executor: Runs, scope: Scope, _matching: Filter, _most: int) -> Sample:
    """Takes the place of `read_sample`. The message of a tenant's sample is its number."""
    return Sample([SampledMessage(scope.time_range.start_ns, 1, str(scope.tenant_id))], scope.time_range, 1)


def test_a_tenants_samples_wait_for_each_other_and_not_for_those_of_another_tenant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grouping = Grouping()
    monkeypatch.setattr(service, "find_patterns", grouping.find)
    monkeypatch.setattr(service, "read_sample", read)

    async def run() -> None:
        with opened() as patterns, ExitStack() as stack:
            stack.callback(grouping.released.set)
            first = asyncio.create_task(patterns.patterns(tenant(1), REQUESTED, 10))
            await asyncio.to_thread(grouping.started.wait, 60)
            own = [
                asyncio.create_task(patterns.patterns(tenant(1), REQUESTED, 10))
                for _ in range(service.LIMITS.waiting + 1)
            ]
            # One sample more than may wait is refused; the others wait.
            refused, _ = await asyncio.wait(own, return_when=asyncio.FIRST_COMPLETED)
            with pytest.raises(RateLimited):
                await refused.pop()
            assert (await patterns.patterns(tenant(2), REQUESTED, 10)).sampled == 1
            assert len(grouping.threads) == 2
            grouping.released.set()
            answers = await asyncio.gather(first, *own, return_exceptions=True)
            assert sum(isinstance(each, RateLimited) for each in answers) == 1

    asyncio.run(run())
    assert len(grouping.threads) == service.LIMITS.waiting + 2
    assert threading.get_ident() not in grouping.threads


def test_a_tenant_holds_the_samples_of_one_request_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []

    async def read_slowly(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
        events.append("read")
        # Any other request could read its sample meanwhile.
        for _ in range(100):
            await asyncio.sleep(0)
        return await read(executor, scope, matching, most)

    def find(*_: object) -> Found:
        events.append("group")
        return Found(0, [])

    monkeypatch.setattr(service, "read_sample", read_slowly)
    monkeypatch.setattr(service, "find_patterns", find)

    async def run() -> None:
        with opened() as patterns:
            await asyncio.gather(*(patterns.patterns(tenant(1), REQUESTED, 10) for _ in range(service.LIMITS.waiting)))

    asyncio.run(run())
    # Each request reads its sample and that of the day before.
    assert events == ["read", "read", "group"] * service.LIMITS.waiting


def test_slow_requests_of_many_tenants_delay_no_other_tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = list[int]()

    async def run() -> None:
        released = asyncio.Event()

        async def read_slowly(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
            reading.append(scope.tenant_id)
            if scope.tenant_id > 1:
                await released.wait()
            return await read(executor, scope, matching, most)

        monkeypatch.setattr(service, "read_sample", read_slowly)
        with opened() as patterns:
            slow = [asyncio.create_task(patterns.patterns(tenant(2 + each), REQUESTED, 10)) for each in range(31)]
            while len(reading) < len(slow):
                await asyncio.sleep(0.001)
            assert (await patterns.patterns(tenant(1), REQUESTED, 10)).sampled == 1
            released.set()
            await asyncio.gather(*slow)

    monkeypatch.setattr(service, "find_patterns", lambda *_: Found(0, []))
    asyncio.run(asyncio.wait_for(run(), 60))


def test_endless_requests_of_many_tenants_give_their_places_to_other_tenants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "REQUEST_SECONDS", 0.05)
    monkeypatch.setattr(service, "find_patterns", lambda *_: Found(0, []))

    reading = list[int]()

    async def read_endlessly(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
        reading.append(scope.tenant_id)
        if scope.tenant_id > 1:
            await asyncio.Event().wait()
        return await read(executor, scope, matching, most)

    monkeypatch.setattr(service, "read_sample", read_endlessly)

    async def run() -> None:
        with opened() as patterns:
            endless = [
                asyncio.create_task(patterns.patterns(tenant(2 + each), REQUESTED, 10))
                for each in range(service.REQUESTS)
            ]
            while len(reading) < len(endless):
                await asyncio.sleep(0.001)
            assert (await patterns.patterns(tenant(1), REQUESTED, 10)).sampled == 1
            for each in endless:
                with pytest.raises(RateLimited, match="shorter time range"):
                    await each

    asyncio.run(asyncio.wait_for(run(), service.LIMITS.seconds / 2))


@pytest.mark.parametrize(
    "error",
    [
        QueryTooExpensive("the search read too many bytes"),
        RateLimited("the search waited too long for a slot", retry_after=1),
        None,
    ],
)
def test_patterns_are_not_compared_with_a_day_before_that_costs_too_much(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    monkeypatch.setattr(service, "REQUEST_SECONDS", 0.05)

    async def read_today(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
        if scope.time_range.start_ns < 2 * 10**18:
            if error is not None:
                raise error
            await asyncio.Event().wait()
        return await read(executor, scope, matching, most)

    monkeypatch.setattr(service, "read_sample", read_today)

    async def run() -> None:
        with opened() as patterns:
            found = await patterns.patterns(tenant(1), REQUESTED, 10)
            assert (found.sampled, found.sampled_before, [each.new for each in found.patterns]) == (1, 0, [None])

    asyncio.run(asyncio.wait_for(run(), service.LIMITS.seconds / 2))


def test_requests_leave_half_of_the_places_of_statements_for_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    running = most = 0
    two = asyncio.Event()

    async def read_slowly(executor: Runs, scope: Scope, matching: Filter, most_records: int) -> Sample:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 2:
            two.set()
        await two.wait()
        await asyncio.sleep(0.02)  # Other requests would begin meanwhile.
        running -= 1
        return await read(executor, scope, matching, most_records)

    monkeypatch.setattr(service, "read_sample", read_slowly)
    monkeypatch.setattr(service, "find_patterns", lambda *_: Found(0, []))

    async def run() -> None:
        with opened(Settings(query_max_concurrent=4)) as patterns:
            await asyncio.gather(*(patterns.patterns(tenant(1 + each), REQUESTED, 10) for each in range(6)))

    asyncio.run(asyncio.wait_for(run(), 60))
    assert most == 2


def test_the_day_before_is_also_read_from_a_lane_that_the_tenant_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    scopes: list[Scope] = []

    async def read_scope(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
        scopes.append(scope)
        return await read(executor, scope, matching, most)

    monkeypatch.setattr(service, "find_patterns", lambda *_: Found(0, []))
    monkeypatch.setattr(service, "read_sample", read_scope)
    start_ns = 2 * 10**18
    moved_ns = start_ns - LATE_RECEIVER_NS - Settings().future_tolerance_seconds * 10**9
    moved = replace(tenant(1), lanes=TenantLanes(2, former=(FormerLane(1, moved_ns),)))

    async def run() -> None:
        with opened() as patterns:
            await patterns.patterns(moved, REQUESTED, 10)

    asyncio.run(run())
    assert [scope.lanes for scope in scopes] == [(2,), (1, 2)]
