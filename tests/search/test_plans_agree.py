"""Tests that all plans give the same pages, with both index profiles, in both orders and by cursors."""

import asyncio
from itertools import pairwise

import pytest

from backend.search import analysis
from backend.search.parameters import ExplainParameters
from backend.search.schemas import Analysis
from backend.search.service import SearchService
from backend.store.compile.clause import Scan
from backend.store.order import Order
from backend.store.plans import windowed
from backend.store.plans.plan import Plan
from kit.clock import SystemClock
from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from tests.search.asked import searched
from tests.search.engine import ClickHouse
from tests.search.same_pages import (
    NOW_NS,
    make_lanes,
    max_windows_of_same_pages,
    random_queries,
    tenant,
    use_every_path,
)

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
    use_every_path(monkeypatch)
    windows = asyncio.run(max_windows_of_same_pages(settings, lane, order, random_queries(QUERIES)))
    assert windows >= MIN_WINDOWS


def test_an_explanation_says_why_every_row_is_tested(settings: Settings) -> None:
    async def scans(service: SearchService) -> list[str | None]:
        queries = ("connection", r"/\d+ms/", "-connection")
        return [(await service.explain(tenant(0), ExplainParameters(query=query))).scan for query in queries]

    assert searched(settings, scans) == [None, Scan.no_word.value, Scan.excluded.value]


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_every_window_of_an_analysis_is_measured(
    settings: Settings, lane: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def analyze(service: SearchService) -> Analysis | None:
        start_ns = NOW_NS - 6 * 3_600 * 10**9
        requested = ExplainParameters(query="-nowhere", start=start_ns, end=NOW_NS, limit=1_000, analyze=True)
        return (await service.explain(tenant(lane), requested)).analysis

    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)
    # This engine has no query_log, so that a long wait would be in vain.
    monkeypatch.setattr(analysis, "LOGGED_SECONDS", analysis.POLL_SECONDS)
    found = searched(settings, analyze, SystemClock())
    assert found is not None
    assert len(found.statements) >= MIN_WINDOWS
    assert found.unknown is not None
    assert sum(each.rows for each in found.statements) == found.logs
    assert all(earlier.start == later.end for earlier, later in pairwise(found.statements))
    assert all(each.elapsed_ms > 0 and each.indexes for each in found.statements)


def test_the_choice_follows_the_index_of_the_table(settings: Settings) -> None:
    async def plans(service: SearchService) -> list[Plan]:
        requested = ExplainParameters(query="connection error")
        return [(await service.explain(tenant(lane), requested)).plan for lane in range(len(Profile))]

    assert searched(settings, plans) == [Plan.windowed, Plan.in_order]
