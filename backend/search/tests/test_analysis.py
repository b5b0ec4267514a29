"""Tests of an analysis without ClickHouse's record of what statements took."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import pytest

from backend.language.parse import parse
from backend.search import analysis
from backend.search.analysis import NOT_ALLOWED, NOT_WRITTEN, Analyzer
from backend.search.schemas import Analysis
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.choose import PagePlan
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.rows import NO_COST, Cost, Rows
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement, SystemStatement, SystemTable
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import SystemClock
from kit.errors import Internal, LogsieveError, RateLimited, Unavailable
from kit.settings import Settings

QUERY = Query(Scope(1, (0,), ("r30",), TimeRange(0, 10)), compile_filter(parse("hello")), Order.desc, 2)
R = TypeVar("R")
PATIENCE: Final = 60.0
PLAN = PagePlan(Plan.in_order, RangePlan.in_order, "the request names it", Extent(3, 1, 1))


class _WithoutLog(FakeLogStore):
    """A server whose query_log is empty, or refused with an error."""

    def __init__(self, refusal: LogsieveError | None) -> None:
        super().__init__([stored_row(number, number) for number in range(3)])
        self._refusal = refusal

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if isinstance(statement, SystemStatement) and statement.table is SystemTable.work:
            if self._refusal is not None:
                raise self._refusal
            return [], NO_COST
        if "EXPLAIN" in statement.sql:
            return [("[]",)], NO_COST
        return super().answer(statement)


def analyzed(refusal: LogsieveError | None) -> Analysis:
    return analyzed_in(_WithoutLog(refusal), QUERY)


def analyzed_in(store: FakeLogStore, query: Query) -> Analysis:
    settings, clock = Settings(), SystemClock()

    async def use() -> Analysis:
        async with asyncio.timeout(PATIENCE):
            return await Analyzer(PageReader(settings, store, clock), store, clock).analyze(query, PLAN, {})

    return asyncio.run(use())


@pytest.mark.parametrize(
    ("refusal", "seconds", "reason"),
    [
        # The time must not end before the error arrives.
        (Internal("code 497"), PATIENCE, NOT_ALLOWED),
        (Unavailable("no such table"), 0.003, NOT_WRITTEN),
        (None, 0.003, NOT_WRITTEN),
    ],
)
def test_an_analysis_says_why_numbers_are_missing(
    refusal: LogsieveError | None, seconds: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(analysis, "LOGGED_SECONDS", seconds)

    found = analyzed(refusal)

    assert (found.logs, found.unknown) == (2, reason)
    [statement] = found.statements
    assert (statement.reads, statement.rows, statement.cpu_ms, statement.marks_read) == ("page", 3, None, None)


class _OfTwoShards(FakeLogStore):
    """A cluster of which only the query_log of shard `logging` has its statement. That of `hanging` never answers."""

    def __init__(self, logging: int, hanging: int | None) -> None:
        super().__init__([stored_row(number, number) for number in range(3)])
        self._logging = logging
        self._hanging = hanging

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        [shard] = statement.shards
        if not isinstance(statement, SystemStatement):
            if "EXPLAIN" in statement.sql:
                return Rows([statement.row(["[]"])], NO_COST)
            return replace(await super().run(statement), query_id=f"of shard {shard}")
        if shard == self._hanging:
            await asyncio.Event().wait()
        logged = [statement.row([f"of shard {shard}", 5_000, 1, 1, 1, 1])] if shard == self._logging else []
        return Rows(logged, NO_COST)


@pytest.mark.parametrize(("logging", "hanging"), [(0, None), (1, None), (0, 1), (1, 0)])
def test_an_analysis_has_what_the_query_log_has_after_a_bounded_time(
    logging: int, hanging: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(analysis, "LOGGED_SECONDS", 0.003)
    scope = replace(QUERY.scope, shards=(0, 1))

    found = analyzed_in(_OfTwoShards(logging, hanging), replace(QUERY, scope=scope))

    assert {statement.shard: statement.cpu_ms for statement in found.statements} == {logging: 5.0, 1 - logging: None}
    assert found.unknown == NOT_WRITTEN


def test_an_analysis_that_gets_no_slot_is_refused_and_names_no_missing_right() -> None:
    with pytest.raises(RateLimited, match="no slot"):
        analyzed(RateLimited("no slot became free"))
