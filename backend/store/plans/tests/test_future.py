"""Tests of searches whose range ends after now, and begins reading where there are usually no records yet."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.record_id import key_of
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import FakeLogStore, stored_row
from kit.clock import ManualClock
from kit.settings import Settings

SECOND_NS = 10**9
NOW_NS = 15 * 60 * SECOND_NS
END_NS = NOW_NS + 3_600 * SECOND_NS
LIMIT = 10
EXTENT = Extent(1_000_000, 16_000, 16_000)
PLANS = {each: PagePlan(each, Plan.in_order, "a test", EXTENT) for each in (Plan.in_order, Plan.windowed)}


def search(store: FakeLogStore, plan: Plan, order: Order = Order.desc, times: int = 1) -> list[list[int]]:
    """Returns the times of the records of the page for each of several equal searches without an end."""
    reader = PageReader(Settings(), store, ManualClock(NOW_NS))
    query = Query(Scope(1, (0,), ("r30",), TimeRange(0, END_NS)), compile_filter(parse("word")), order, LIMIT)

    async def pages() -> list[list[int]]:
        found = []
        for _ in range(times):
            store.requested.clear()
            found.append([key_of(each).timestamp_ns for each in (await reader.page(query, PLANS[plan])).records])
        return found

    return asyncio.run(pages())


def ranges_read(store: FakeLogStore) -> list[TimeRange]:
    return [each.scope.time_range for each in store.requested if isinstance(each, Statement)]


def test_the_first_window_reaches_into_the_past() -> None:
    store = FakeLogStore([stored_row(each, each) for each in range(0, NOW_NS, SECOND_NS // 10)])
    search(store, Plan.windowed)
    [only] = ranges_read(store)
    assert only.end_ns == END_NS
    assert NOW_NS - only.start_ns < 2 * 60 * SECOND_NS


@pytest.mark.parametrize("plan", PLANS)
def test_a_repeated_search_reads_little_more_than_the_page(plan: Plan) -> None:
    store = FakeLogStore([stored_row(each, each) for each in range(0, NOW_NS, SECOND_NS // 10)])
    search(store, plan, times=2)
    [only] = ranges_read(store)
    assert only.end_ns == END_NS
    assert NOW_NS - only.start_ns < 2 * 60 * SECOND_NS


@given(
    st.lists(st.integers(0, END_NS - 1), max_size=40, unique=True),
    st.sampled_from(Order),
    st.sampled_from(list(PLANS)),
)
def test_records_of_clocks_that_are_ahead_are_found_in_their_order(times: list[int], order: Order, plan: Plan) -> None:
    store = FakeLogStore([stored_row(each, each) for each in times])
    ordered = sorted(times, reverse=order is Order.desc)[:LIMIT]
    assert search(store, plan, order, times=2) == [ordered, ordered]
