"""Tests that scrolling returns every row once, and shrinks windows that hit a limit."""

import asyncio

import pytest

from backend.language.nodes import MatchAll
from backend.store.compile.filter import compile_filter
from backend.store.limits import AnswerTooLarge, ShareTooSmall
from backend.store.order import Order
from backend.store.scope import Scope, TimeRange
from backend.store.scroll import STEP_BYTES, ScrollReader
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from backend.store.windows import FIRST_NS
from kit.errors import LogsieveError, QueryTooExpensive
from schema.columns import Record

HOUR_NS = 60 * FIRST_NS
ROWS = [stored_row(moment * FIRST_NS // 7, number) for moment in range(300) for number in range(3)]
SCOPE = Scope(7, (0,), ("d30",), TimeRange(0, HOUR_NS))


def read(store: FakeLogStore, order: Order, page_rows: int) -> list[Record]:
    async def records() -> list[Record]:
        pages = ScrollReader(store).read(lambda: SCOPE, compile_filter(MatchAll()), order, page_rows)
        return [record async for page in pages for record in page.records]

    return asyncio.run(records())


@pytest.mark.parametrize("page_rows", [1, 2, 7, 1000])
@pytest.mark.parametrize("rows_read", [0, 200_000, 5_000_000])
def test_every_row_once_in_order(page_rows: int, rows_read: int) -> None:
    assert read(FakeLogStore(ROWS, rows_read=rows_read), Order.asc, page_rows) == ROWS
    assert read(FakeLogStore(ROWS, rows_read=rows_read), Order.desc, page_rows) == ROWS[::-1]


def test_a_window_that_is_too_much_is_read_in_parts() -> None:
    def limited(statement: AnyStatement) -> None:
        if statement.parameters["end_ns"] - statement.parameters["start_ns"] > 4 * FIRST_NS:  # type: ignore[operator]  # integers
            raise QueryTooExpensive("too much")

    assert read(FakeLogStore(ROWS, limited), Order.desc, 10) == ROWS[::-1]


@pytest.mark.parametrize("order", Order)
def test_a_minute_that_is_too_much_is_read_in_parts(order: Order) -> None:
    def limited(statement: AnyStatement) -> None:
        if statement.parameters["end_ns"] - statement.parameters["start_ns"] > FIRST_NS // 60:  # type: ignore[operator]  # integers
            raise QueryTooExpensive("too much")

    assert read(FakeLogStore(ROWS, limited), order, 10) == (ROWS if order is Order.asc else ROWS[::-1])


@pytest.mark.parametrize("rows_limit", [1, 3, 100])
@pytest.mark.parametrize("error", [AnswerTooLarge, ShareTooSmall, QueryTooExpensive])
def test_large_records_are_read_fewer_at_once(rows_limit: int, error: type[LogsieveError]) -> None:
    def limited(statement: AnyStatement) -> None:
        if statement.parameters["limit"] > rows_limit:  # type: ignore[operator]  # integers
            raise error("too large")

    store = FakeLogStore(ROWS, limited)
    assert read(store, Order.desc, 1_000) == ROWS[::-1]


def test_only_a_single_record_may_be_as_large_as_an_answer() -> None:
    store = FakeLogStore(ROWS)
    assert read(store, Order.desc, 7) == ROWS[::-1]
    assert {statement.result_bytes for statement in store.requested} == {STEP_BYTES}
    single = FakeLogStore(ROWS[:2])
    read(single, Order.desc, 1)
    assert {statement.result_bytes for statement in single.requested} == {None}


@pytest.mark.parametrize("error", [AnswerTooLarge, ShareTooSmall, QueryTooExpensive])
def test_a_record_that_is_too_much_is_the_callers_problem(error: type[LogsieveError]) -> None:
    def limited(_: AnyStatement) -> None:
        raise error("too much")

    with pytest.raises(error):
        read(FakeLogStore(ROWS, limited), Order.desc, 10)
