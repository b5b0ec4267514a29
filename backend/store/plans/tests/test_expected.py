"""Tests of pages that are first read from the part of the range that is expected to fill them."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.densities import SLACK, Density
from backend.store.plans.expected import LARGEST_SHARE, expected_length
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.record_id import RecordId, key_of
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import FakeLogStore, stored_row
from backend.store.windows import FIRST_NS
from kit.clock import DAY_NS, ManualClock
from kit.settings import Settings

LIMIT = 10
EXTENT = Extent(1_000_000, 16_000, 16_000)
CHOSEN = PagePlan(Plan.in_order, RangePlan.in_order, "a test", EXTENT)
REQUESTED = PagePlan(Plan.in_order, RangePlan.in_order, "a test", EXTENT, is_chosen=False)


def requested(order: Order = Order.desc, after: RecordId | None = None, end_ns: int = DAY_NS) -> Query:
    scope = Scope(1, (0,), ("r30",), TimeRange(0, end_ns))
    return Query(scope, compile_filter(parse("")), order, LIMIT, after)


def statement_ranges(store: FakeLogStore) -> list[TimeRange]:
    return [each.scope.time_range for each in store.requested if isinstance(each, Statement)]


def ranges_read(times_ns: range, plan: PagePlan, end_ns: int = DAY_NS) -> list[list[TimeRange]]:
    """Returns the ranges of the statements of two equal searches, over records at these times."""
    store = FakeLogStore([stored_row(time_ns, time_ns) for time_ns in times_ns])
    reader = PageReader(Settings(), store, ManualClock())

    async def once() -> list[TimeRange]:
        store.requested.clear()
        page = await reader.page(requested(end_ns=end_ns), plan)
        assert [key_of(each).timestamp_ns for each in page.records] == list(reversed(times_ns))[:LIMIT]
        return statement_ranges(store)

    return [asyncio.run(once()) for _ in range(2)]


def test_a_repeated_search_reads_little_more_than_the_page() -> None:
    every_ns = DAY_NS // 10_000
    first, again = ranges_read(range(0, DAY_NS, every_ns), CHOSEN)
    assert first == [TimeRange(0, DAY_NS)]
    assert len(again) == 1
    assert again[0].end_ns - again[0].start_ns < 2 * LIMIT * every_ns


def test_a_page_that_the_expected_part_does_not_fill_is_read_from_the_rest() -> None:
    """The second search ends later than the records do, so that the part that is expected to fill the page has none."""
    times = range(0, DAY_NS // 2, DAY_NS // 10_000)
    store = FakeLogStore([stored_row(time_ns, time_ns) for time_ns in times])
    reader = PageReader(Settings(), store, ManualClock())

    async def both() -> list[int]:
        await reader.page(requested(end_ns=DAY_NS // 2), CHOSEN)
        store.requested.clear()
        page = await reader.page(requested(), CHOSEN)
        return [key_of(each).timestamp_ns for each in page.records]

    assert asyncio.run(both()) == list(reversed(times))[:LIMIT]
    first, rest = statement_ranges(store)
    assert (rest.start_ns, rest.end_ns, first.end_ns) == (0, first.start_ns, DAY_NS)


def test_a_requested_plan_reads_the_whole_range() -> None:
    first, again = ranges_read(range(0, DAY_NS, DAY_NS // 10_000), REQUESTED)
    assert first == again == [TimeRange(0, DAY_NS)]


def test_a_page_that_is_not_full_is_read_from_the_whole_range_again() -> None:
    first, again = ranges_read(range(0, DAY_NS, DAY_NS // 5), CHOSEN)
    assert first == again == [TimeRange(0, DAY_NS)]


@given(st.integers(0, 10_000), st.integers(1, DAY_NS), st.sampled_from(Order), st.integers(0, DAY_NS - 1))
def test_the_expected_length_is_within_the_range(matches: int, span_ns: int, order: Order, after_ns: int) -> None:
    query = requested(order, RecordId(after_ns, 1))
    left = query.open_range.end_ns - query.open_range.start_ns
    length = expected_length(query, Density(matches, span_ns, 1.0))
    assert length == left or FIRST_NS <= length <= left * LARGEST_SHARE or length == min(FIRST_NS, left)
    if length < left:
        assert length >= span_ns * SLACK * LIMIT // matches - 1
    assert expected_length(query, None) == left
