"""A streamed search: the page's records as windows finish, progress, and how it ends."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from backend.logs.asked import PageOptions, Search
from backend.search.service import SearchService
from backend.search.stream import begun
from backend.store.execute import Answer
from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.plans.windowed import FIRST_GRANULES
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import FakeLogStore, stored_row
from kit.clock import ManualClock
from kit.errors import InvalidQuery, QueryTooExpensive
from kit.settings import Settings
from schema.control.directory import Tenant

HOUR_NS = 3_600 * 10**9
ROWS = [stored_row(number * 10**9, number) for number in range(3_600)]
TENANT = Tenant(id=7, name="demo", lane=2, cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096)


class PlannedStore(FakeLogStore):
    """Also answers what the planner asks: a token filter, 3,600 granules of a row; `fails_at` counts pages from 1."""

    def __init__(self, fails_at: int = 0) -> None:
        super().__init__(ROWS, rows_read=5)
        self._fails_at = fails_at

    async def run(self, statement: Statement) -> Answer:
        if "data_skipping_indices" in statement.sql:
            return Answer([(0, 1, 1)], 0, 0, 0)
        if "EXPLAIN ESTIMATE" in statement.sql:
            return Answer([("logs", "logs_2", 1, 3_600, 3_600)], 0, 0, 0)
        answer = replace(await super().run(statement), rows_selected=5)
        if len(self.asked) == self._fails_at:
            raise QueryTooExpensive("too much")
        return answer


async def begin(store: FakeLogStore, limit: int, query: str = "hello") -> AsyncGenerator[bytes]:
    service = SearchService(Settings(), store, ManualClock(HOUR_NS))
    options = PageOptions(Order.desc, limit, None, Plan.auto)
    return await begun(service.stream(TENANT, Search(query, 0, HOUR_NS), options))


def read(store: FakeLogStore, limit: int) -> list[dict[str, Any]]:
    async def lines() -> list[dict[str, Any]]:
        return [
            json.loads(line) for line in b"".join([piece async for piece in await begin(store, limit)]).splitlines()
        ]

    return asyncio.run(lines())


def test_records_come_window_by_window_and_the_page_ends_with_its_cursor() -> None:
    *lines, last = read(PlannedStore(), 1_000)

    progress = [line["progress"] for line in lines if "progress" in line]
    assert [each["windows"] for each in progress] == [1, 2]
    assert progress[-1]["rows_read"] == 10
    assert len([line for line in lines if "log" in line]) == 1_000
    assert "log" in lines[0]
    assert last["page"]["next_cursor"]
    assert last["page"]["stats"]["plan"] == "windowed"
    assert last["page"]["stats"]["windows"] == 2


def test_the_last_page_has_no_cursor() -> None:
    assert read(PlannedStore(), 4_000)[-1]["page"]["next_cursor"] is None


def test_what_is_wrong_at_once_is_an_ordinary_error() -> None:
    with pytest.raises(InvalidQuery):
        asyncio.run(begin(PlannedStore(), 10, "("))
    with pytest.raises(QueryTooExpensive):
        asyncio.run(begin(PlannedStore(fails_at=1), 10))


def test_what_goes_wrong_later_is_the_last_line() -> None:
    *lines, last = read(PlannedStore(fails_at=2), 1_000)
    assert len([line for line in lines if "log" in line]) == FIRST_GRANULES
    assert last["error"]["code"] == "query_too_expensive"


def test_a_client_that_goes_away_stops_the_reading() -> None:
    store = PlannedStore()

    async def leave_early() -> None:
        lines = await begin(store, 500)
        await anext(lines)
        await lines.aclose()

    asyncio.run(leave_early())
    assert len(store.asked) == 1
