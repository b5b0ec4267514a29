"""Tests of windows for a filter whose density is known from an earlier page."""

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from typing import Any

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.densities import KEPT_SECONDS, SLACK, Densities, Density
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.reader import PageReader
from backend.store.plans.windowed import FIRST_GRANULES, MAX_MS, first_length
from backend.store.query import Query
from backend.store.record_id import key_of
from backend.store.rows import Cost
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import DAY_NS, ManualClock
from kit.settings import Settings

EXTENT = Extent(1_000_000, 16_000, 16_000)
PLAN = PagePlan(Plan.windowed, RangePlan.in_order, "a test", EXTENT)
UNKNOWN_NS = DAY_NS * FIRST_GRANULES // EXTENT.granules
LIMIT = 10


def requested(text: str = "word", tenant_id: int = 1, order: Order = Order.desc) -> Query:
    scope = Scope(tenant_id, (0,), ("r30",), TimeRange(0, DAY_NS))
    return Query(scope, compile_filter(parse(text)), order, LIMIT)


class _Matches(FakeLogStore):
    """Answers every statement with the records of its window, all of which match."""

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        rows, _ = super().answer(statement)
        return rows, Cost(10.0, rows_selected=512)


def read_twice(every_ns: int, text: str = "word") -> tuple[list[int], list[int]]:
    """Returns the windows' statements of two searches, as the number of each one's records; one every `every_ns`."""
    rows = [stored_row(time_ns, time_ns) for time_ns in range(0, DAY_NS, every_ns)]
    store = _Matches(rows)
    reader = PageReader(Settings(), store, ManualClock())

    async def once() -> list[int]:
        parts = [part.records async for part in reader.read(requested(text), PLAN)]
        keys = [key_of(record) for records in parts for record in records]
        assert keys == sorted(keys, reverse=True)
        assert len(keys) == min(LIMIT, len(rows))
        return [len(records) for records in parts]

    async def both() -> tuple[list[int], list[int]]:
        return await once(), await once()

    return asyncio.run(both())


def test_a_repeated_search_for_few_records_is_one_statement() -> None:
    first, again = read_twice(every_ns=DAY_NS // 200)
    assert (len(first), len(again)) == (2, 1)


def test_a_repeated_search_that_finds_less_than_a_page_is_one_statement() -> None:
    first, again = read_twice(every_ns=DAY_NS // 2)
    assert (len(first), len(again)) == (2, 1)


def test_a_repeated_scan_begins_with_the_window_that_time_allows() -> None:
    first, again = read_twice(every_ns=DAY_NS // 2, text="NOT word")
    assert (len(first), len(again)) == (3, 1)


def test_frequent_matches_leave_the_first_window_as_it_is() -> None:
    assert first_length(requested(), EXTENT, Density(LIMIT, 10**9, 10.0)) == UNKNOWN_NS


def test_a_first_window_holds_more_than_the_page_at_the_known_density() -> None:
    span_ns = UNKNOWN_NS
    assert first_length(requested(), EXTENT, Density(LIMIT, span_ns, 1.0)) == SLACK * span_ns


def test_a_first_window_takes_no_longer_than_a_window_may() -> None:
    slow = Density(0, UNKNOWN_NS, MAX_MS / 4)
    assert first_length(requested(), EXTENT, slow) == 4 * UNKNOWN_NS


def test_a_filter_without_matches_is_searched_in_the_whole_range() -> None:
    assert first_length(requested(), EXTENT, Density(0, UNKNOWN_NS, 1.0)) == DAY_NS


def test_densities_are_of_one_tenant_one_filter_and_one_order_and_are_forgotten() -> None:
    clock, density = ManualClock(), Density(1, 10**9, 1.0)
    known = Densities(clock)
    known.keep(requested(), density)
    assert known.of(requested()) == density
    for other in (requested("words"), requested(tenant_id=2), requested(order=Order.asc)):
        assert known.of(other) is None
    clock.advance(KEPT_SECONDS)
    assert known.of(requested()) is None


def test_long_filters_take_no_more_memory_than_short_ones() -> None:
    known, characters = Densities(ManualClock()), 8_000
    density = Density(1, 10**9, 1.0)
    known.keep(requested("warm"), density)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(50):
            known.keep(requested(f"{number:0{characters}}"), density)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 10 * characters
    assert known.of(requested(f"{7:0{characters}}")) == density
    assert known.of(requested(f"{77:0{characters}}")) is None


def test_a_density_of_no_time_is_not_kept() -> None:
    known = Densities(ManualClock())
    known.keep(requested(), Density(LIMIT, 0, 1.0))
    assert known.of(requested()) is None
