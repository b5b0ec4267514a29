"""Tests that an export finds the records of a tenant that moves to another lane and shard while the export runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import orjson
import pytest

from backend.answers.resources import Resources
from backend.export.endpoints import ExportParameters, export
from backend.export.service import ExportService
from backend.export.tests.test_broken_off import TENANT
from backend.store.order import Order
from backend.store.record_id import key_of
from backend.store.rows import Cost
from backend.store.scroll import ScrollReader
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from backend.store.windows import FIRST_NS
from kit.clock import ManualClock
from kit.settings import Settings
from schema.columns import StoredRecord
from schema.control.directory import Grant
from schema.control.models import Purpose

NOW_NS: Final = 1_800_000_000 * 10**9
ROWS: Final = [stored_row(NOW_NS + number * FIRST_NS, number) for number in range(60)]
NEW_LANE: Final = 5
BEFORE: Final = replace(TENANT, shards=frozenset({0}))
MOVED: Final = replace(BEFORE, lanes=BEFORE.lanes.ended(NOW_NS, NEW_LANE), shards=frozenset({0, 1}))


class MovingStore(FakeLogStore):
    """Two tables, one before and one after the move of the tenant. It moves when the first statement is answered."""

    def __init__(self, before: Sequence[StoredRecord], after: Sequence[StoredRecord]) -> None:
        super().__init__([])
        self.tenant = BEFORE
        self._tables = {(BEFORE.lane, 0): FakeLogStore(before), (NEW_LANE, 1): FakeLogStore(after)}

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        self.tenant = MOVED
        assert isinstance(statement, Statement)
        [lane], [shard] = statement.scope.lanes, statement.scope.shards
        table = self._tables.get((lane, shard))
        return ([], Cost(1.0, 0)) if table is None else table.answer(statement)


@pytest.mark.parametrize("order", Order)
def test_an_export_reads_the_lane_and_shard_to_which_its_tenant_has_moved(order: Order) -> None:
    in_order = ROWS if order is Order.asc else ROWS[::-1]
    store = MovingStore(in_order[:30], in_order[30:])
    settings = Settings(clickhouse_url="http://127.0.0.1:1,http://127.0.0.1:2")
    service = ExportService(
        settings, ScrollReader(store), ManualClock(NOW_NS), Resources.of(settings, ManualClock(NOW_NS))
    )
    requested = ExportParameters(order=order, start=NOW_NS, end=NOW_NS + len(ROWS) * FIRST_NS)

    async def use() -> list[str]:
        answer = await export(BEFORE, lambda: Grant(store.tenant, Purpose.query, "key"), service, requested)
        text = b"".join([piece async for piece in answer.body_iterator if isinstance(piece, bytes)])
        return [orjson.loads(line)["id"] for line in text.splitlines()]

    assert asyncio.run(use()) == [str(key_of(row)) for row in in_order]
