"""Tests of a streamed search: its records as windows finish, its progress, and its end."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from backend.search.parameters import PageParameters
from backend.search.stream import started
from backend.search.tests.services import search_service
from backend.store.plans.windowed import FIRST_GRANULES
from backend.store.rows import Cost
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import ManualClock
from kit.errors import InvalidQuery, QueryTooExpensive
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

START_NS = 10**18
HOUR_NS = 3_600 * 10**9
ROWS = [stored_row(START_NS + number * 10**9, number) for number in range(3_600)]
TENANT = Tenant(
    id=7, name="demo", lanes=TenantLanes(2), cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096
)


class PlannedStore(FakeLogStore):
    """A log store that also answers the planner: a token filter, 3,600 granules of one row.

    `fails_at` counts pages from 1.
    """

    def __init__(self, fails_at: int = 0) -> None:
        super().__init__(ROWS, rows_read=5)
        self._fails_at = fails_at
        self.pages = 0

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if "data_skipping_indices" in statement.sql:
            return [(0, 1, 1)], Cost()
        if "EXPLAIN ESTIMATE" in statement.sql:
            return [("logs", "logs_2", 1, 3_600, 3_600)], Cost()
        self.pages += 1
        rows, cost = super().answer(statement)
        if self.pages == self._fails_at:
            raise QueryTooExpensive("too much")
        return rows, replace(cost, rows_selected=5)


async def start(
    store: FakeLogStore, limit: int, query: str = "hello", range_ns: int = HOUR_NS
) -> AsyncGenerator[bytes]:
    service = search_service(Settings(), store, ManualClock(START_NS + HOUR_NS))
    requested = PageParameters(query=query, start=START_NS, end=START_NS + range_ns, limit=limit)
    return await started(service.stream(TENANT, requested))


def read(store: FakeLogStore, limit: int, range_ns: int = HOUR_NS) -> list[dict[str, Any]]:
    async def lines() -> list[dict[str, Any]]:
        pieces = [piece async for piece in await start(store, limit, range_ns=range_ns)]
        return [json.loads(line) for line in b"".join(pieces).splitlines()]

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
    assert read(PlannedStore(), 1_000, range_ns=1_000 * 10**9)[-1]["page"]["next_cursor"] is None


def test_what_is_wrong_at_once_is_an_ordinary_error() -> None:
    with pytest.raises(InvalidQuery):
        asyncio.run(start(PlannedStore(), 10, "("))
    with pytest.raises(QueryTooExpensive):
        asyncio.run(start(PlannedStore(fails_at=1), 10))


def test_what_goes_wrong_later_is_the_last_line() -> None:
    *lines, last = read(PlannedStore(fails_at=2), 1_000)
    assert len([line for line in lines if "log" in line]) == FIRST_GRANULES
    assert last["error"]["code"] == "query_too_expensive"


def test_a_client_that_disconnects_stops_the_reading() -> None:
    store = PlannedStore()

    async def leave_early() -> None:
        lines = await start(store, 500)
        await anext(lines)
        await lines.aclose()

    asyncio.run(leave_early())
    assert store.pages == 1
