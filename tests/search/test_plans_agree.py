"""Tests that all plans give the same pages, with both index profiles, in both orders and by cursors."""

import asyncio
from itertools import pairwise

import pytest

from backend.search import analysis
from backend.search.parameters import ExplainParameters
from backend.search.schemas import Analysis
from backend.search.tests.services import search_service
from backend.store import read_records
from backend.store.compile.clause import Scan
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.plans import expected, windowed
from backend.store.plans.plan import Plan
from kit.clickhouse import Account
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from tests.search.engine import ClickHouse
from tests.search.same_pages import NOW_NS, make_lanes, max_windows_of_same_pages, random_queries, tenant

QUERIES = 10
MIN_WINDOWS = 3


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    make_lanes(clickhouse.settings, [clickhouse])
    return clickhouse.settings


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
@pytest.mark.parametrize("order", Order)
def test_plans_give_the_same_pages(
    settings: Settings, lane: int, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)
    # A page that is expected in half of the time that it needs is also read from the rest.
    monkeypatch.setattr(expected, "SLACK", 0.5)
    # Pages have different shares of rows with a text in `record_json`, so that both ways of reading are tested.
    monkeypatch.setattr(read_records, "MIN_SHARE", 0.6)
    windows = asyncio.run(max_windows_of_same_pages(settings, lane, order, random_queries(QUERIES)))
    assert windows >= MIN_WINDOWS


def test_an_explanation_says_why_every_row_is_tested(settings: Settings) -> None:
    async def scans(*queries: str) -> list[str | None]:
        executor = Executor(settings, account=Account.owner)
        service = search_service(settings, executor, ManualClock(NOW_NS))
        try:
            return [(await service.explain(tenant(0), ExplainParameters(query=query))).scan for query in queries]
        finally:
            await executor.close()

    assert asyncio.run(scans("connection", r"/\d+ms/", "-connection")) == [
        None,
        Scan.no_word.value,
        Scan.excluded.value,
    ]


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_every_window_of_an_analysis_is_measured(
    settings: Settings, lane: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def analyze() -> Analysis:
        executor = Executor(settings, account=Account.owner)
        service = search_service(settings, executor, SystemClock())
        start_ns = NOW_NS - 6 * 3_600 * 10**9
        requested = ExplainParameters(query="-nowhere", start=start_ns, end=NOW_NS, limit=1_000, analyze=True)
        try:
            found = (await service.explain(tenant(lane), requested)).analysis
        finally:
            await executor.close()
        assert found is not None
        return found

    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)
    # This engine has no query_log, so that a long wait would be in vain.
    monkeypatch.setattr(analysis, "LOGGED_SECONDS", analysis.POLL_SECONDS)
    found = asyncio.run(analyze())
    assert len(found.statements) >= MIN_WINDOWS
    assert found.unknown is not None
    assert sum(each.rows for each in found.statements) == found.logs
    assert all(earlier.start == later.end for earlier, later in pairwise(found.statements))
    assert all(each.elapsed_ms > 0 and each.indexes for each in found.statements)


def test_the_choice_follows_the_index_of_the_table(settings: Settings) -> None:
    async def plans() -> list[Plan]:
        executor = Executor(settings, account=Account.owner)
        service = search_service(settings, executor, ManualClock(NOW_NS))
        try:
            requested = ExplainParameters(query="connection error")
            return [(await service.explain(tenant(lane), requested)).plan for lane in range(len(Profile))]
        finally:
            await executor.close()

    assert asyncio.run(plans()) == [Plan.windowed, Plan.in_order]
