"""Tests that all statements of a page or record together end in time, however many windows and tables it has."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.execute import RunsInSlot
from backend.store.get_record import RecordReader
from backend.store.limits import NoTimeLeft
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import FakeLogStore
from kit.clock import ManualClock
from kit.errors import QueryTooExpensive
from kit.settings import Settings
from schema.control.tenant import Tenant
from schema.control.tenant_lanes import TenantLanes

SECONDS: Final = 30.0
DAY: Final = TimeRange(0, 86_400 * 10**9)
EXTENT: Final = Extent(1_000_000, 16_000, 16_000)


class _SlowStore(FakeLogStore):
    """A store without records. Each statement takes `each_seconds` by the clock, and each slot `wait_seconds`."""

    def __init__(self, each_seconds: float, wait_seconds: float = 0.0) -> None:
        self.clock = ManualClock()
        self.wait_seconds = wait_seconds
        super().__init__([], lambda _: self.clock.advance(each_seconds))

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[RunsInSlot]:
        self.clock.advance(self.wait_seconds)
        async with super().slot(tenant_id) as held:
            yield held


def allowed(store: FakeLogStore) -> list[int | None]:
    """Returns the seconds that each statement was allowed to run, in order."""
    return [each.settings.get("max_execution_time") for each in store.requested]


def read_page(store: _SlowStore, plan: Plan, lanes: int = 1, shards: int = 1) -> None:
    scope = Scope(1, tuple(range(lanes)), ("r30",), DAY, tuple(range(shards)))
    query = Query(scope, compile_filter(parse("NOT word")), Order.desc, 100)
    reader = PageReader(Settings(query_max_seconds=SECONDS), store, store.clock)
    asyncio.run(reader.page(query, PagePlan(plan, RangePlan.in_order, "a test", EXTENT)))


def test_a_page_of_many_tables_ends_in_time() -> None:
    store = _SlowStore(each_seconds=2.0)
    with pytest.raises(QueryTooExpensive, match="longer than 30 s"):
        read_page(store, Plan.in_order, lanes=64, shards=4)
    assert allowed(store) == list(range(30, 0, -2))


def test_all_windows_of_a_page_together_end_in_time() -> None:
    store = _SlowStore(each_seconds=15.5)
    with pytest.raises(QueryTooExpensive, match="longer than 30 s"):
        read_page(store, Plan.windowed)
    assert allowed(store) == [30, 15]


def test_waiting_for_a_slot_takes_no_time_of_the_page() -> None:
    store = _SlowStore(each_seconds=1.0, wait_seconds=10 * SECONDS)
    read_page(store, Plan.windowed)
    assert allowed(store) == list(range(30, 30 - len(store.requested), -1))


def test_a_page_without_time_left_waits_for_no_slot() -> None:
    store = _SlowStore(each_seconds=2 * SECONDS, wait_seconds=1.0)
    with pytest.raises(NoTimeLeft, match="longer than 30 s"):
        read_page(store, Plan.windowed)
    assert store.clock.monotonic() == 1.0 + 2 * SECONDS


def test_a_record_that_may_be_in_many_tables_ends_in_time() -> None:
    store = _SlowStore(each_seconds=2.0)
    reader = RecordReader(Settings(query_max_seconds=SECONDS, clickhouse_nodes=16), store, store.clock)
    tenant = Tenant(1, "acme", TenantLanes(0), "r30", ("r30",), 30, 4096)
    with pytest.raises(QueryTooExpensive, match="longer than 30 s"):
        asyncio.run(reader.get(tenant, str(RecordId(0, 0))))
    assert allowed(store) == list(range(30, 0, -2))
