"""Tests of searches whose range ends after now, and begins reading where there are usually no records yet."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.reader import PageReader
from backend.store.plans.windowed import FIRST_GRANULES
from backend.store.query import Query
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Cost
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import ManualClock
from kit.settings import Settings

SECOND_NS = 10**9
NOW_NS = 15 * 60 * SECOND_NS
END_NS = NOW_NS + 3_600 * SECOND_NS
LIMIT = 10
EXTENT = Extent(1_000_000, 16_000, 16_000)
PLANS = {each: PagePlan(each, RangePlan.in_order, "a test", EXTENT) for each in (Plan.in_order, Plan.windowed)}


def search(
    store: FakeLogStore, plan: PagePlan, order: Order = Order.desc, after: RecordId | None = None, times: int = 1
) -> list[list[RecordId]]:
    """Returns the keys of the page for each of several equal searches without an end."""
    reader = PageReader(Settings(), store, ManualClock(NOW_NS))

    async def pages() -> list[list[RecordId]]:
        found = []
        for _ in range(times):
            store.requested.clear()
            found.append([key_of(each) for each in (await reader.page(requested(order, after), plan)).records])
        return found

    return asyncio.run(pages())


def requested(order: Order = Order.desc, after: RecordId | None = None, start_ns: int = 0) -> Query:
    scope = Scope(1, (0,), ("r30",), TimeRange(start_ns, END_NS))
    return Query(scope, compile_filter(parse("word")), order, LIMIT, after)


def ranges_read(store: FakeLogStore) -> list[TimeRange]:
    return [each.scope.time_range for each in store.requested if isinstance(each, Statement)]


def test_the_first_window_reaches_into_the_past() -> None:
    store = FakeLogStore([stored_row(each, each) for each in range(0, NOW_NS, SECOND_NS // 10)])
    search(store, PLANS[Plan.windowed])
    [only] = ranges_read(store)
    assert only.end_ns == END_NS
    assert NOW_NS - only.start_ns < 2 * 60 * SECOND_NS


@pytest.mark.parametrize("plan", PLANS)
def test_a_repeated_search_reads_little_more_than_the_page(plan: Plan) -> None:
    store = FakeLogStore([stored_row(each, each) for each in range(0, NOW_NS, SECOND_NS // 10)])
    search(store, PLANS[plan], times=2)
    [only] = ranges_read(store)
    assert only.end_ns == END_NS
    assert NOW_NS - only.start_ns < 2 * 60 * SECOND_NS


AROUND_NOW = st.sampled_from([NOW_NS - 1, NOW_NS, NOW_NS + 1, END_NS - 1])
TIMES = AROUND_NOW | st.integers(0, END_NS - 1)


@given(
    st.lists(TIMES, max_size=40),
    st.sampled_from(Order),
    st.sampled_from(list(PLANS.values())),
    st.none() | st.builds(RecordId, TIMES, st.integers(0, 40)),
    st.booleans(),
)
def test_records_of_clocks_that_are_ahead_are_found_in_their_order(
    times: list[int], order: Order, plan: PagePlan, after: RecordId | None, counts_from_now: bool
) -> None:
    rows = [stored_row(time_ns, number) for number, time_ns in enumerate(times)]
    is_descending = order is Order.desc
    keys = sorted(map(key_of, rows), reverse=is_descending)
    if after is not None:
        keys = [key for key in keys if (key < after if is_descending else key > after)]
    plan = replace(plan, counts_from_now=counts_from_now)
    assert search(FakeLogStore(rows), plan, order, after, times=2) == [keys[:LIMIT]] * 2


class _Estimated(FakeLogStore):
    """Answers the planner: a token filter, and a number of granules before now and after it."""

    def __init__(self, before_now: int, after_now: int) -> None:
        super().__init__([])
        self._before_now, self._after_now = before_now, after_now

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if "data_skipping_indices" in statement.sql:
            return [(0, 1, 1)], Cost()
        if "EXPLAIN ESTIMATE" in statement.sql:
            start_ns = statement.parameters["start_ns"]
            assert isinstance(start_ns, int)
            granules = self._after_now + (self._before_now if start_ns < NOW_NS else 0)
            return [("logs", "logs_0", 1, granules, granules)], Cost()
        return super().answer(statement)


def planned(after_now: int, query: Query) -> tuple[bool, list[TimeRange]]:
    """Returns whether windows count from now, and the ranges that the search reads."""
    store = _Estimated(16_000, after_now)
    reader = PageReader(Settings(), store, ManualClock(NOW_NS))

    async def body() -> PagePlan:
        plan = await reader.plan(query, Plan.auto)
        store.requested.clear()
        await reader.page(query, plan)
        return plan

    return asyncio.run(body()).counts_from_now, ranges_read(store)


def test_a_tenant_with_many_records_after_now_gets_windows_that_begin_there() -> None:
    counts, (first, *_) = planned(FIRST_GRANULES + 1, requested())
    assert not counts
    assert first.end_ns == END_NS
    assert first.start_ns > NOW_NS


def test_few_records_after_now_are_read_with_the_first_window() -> None:
    counts, (first, *_) = planned(FIRST_GRANULES, requested())
    assert counts
    assert first.start_ns < NOW_NS


@pytest.mark.parametrize(
    "query",
    [requested(Order.asc), requested(after=RecordId(NOW_NS - 1, 0)), requested(start_ns=NOW_NS)],
    ids=["the oldest first", "a later page", "a range after now"],
)
def test_only_ranges_from_before_now_to_after_it_are_asked_for_their_records_after_now(query: Query) -> None:
    assert planned(FIRST_GRANULES + 1, query)[0]
