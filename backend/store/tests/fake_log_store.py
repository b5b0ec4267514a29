"""An Executor that answers pages from rows in memory."""

from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from backend.store.execute import Executor, RunsInSlot
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Cost, Rows
from backend.store.select_records import FLAGGED_COLUMNS, PACKED_COLUMNS
from backend.store.statement import Statement, SystemStatement
from kit.settings import Settings
from schema.columns import PackedRecord, StoredRecord

LARGE: Final = 1_000
"""Characters of the shortest body whose row has a text in `record_json`."""

R = TypeVar("R")
AnyStatement = Statement[Any] | SystemStatement[Any]
Check = Callable[[AnyStatement], None]


def stored_row(timestamp_ns: int, row_id: int, body: str = "hello", event_name: str = "") -> StoredRecord:
    """Returns a record with the values that ClickHouse would answer with."""
    return StoredRecord(
        timestamp=timestamp_ns,
        id=row_id,
        observed_timestamp=timestamp_ns,
        severity_number=9,
        severity_text="INFO",
        service="checkout",
        body=body,
        body_truncated_bytes=0,
        attributes={"user": "-7"},
        attribute_types="s",
        resource={"host.name": "a"},
        resource_types="s",
        scope_name="",
        scope_version="",
        trace_id=bytes(16),
        span_id=bytes(8),
        flags=0,
        event_name=event_name,
    )


class FakeLogStore(Executor):
    """Answers a page statement by its range, order, key and limit. `check` runs before and may raise an error."""

    def __init__(self, rows: Sequence[StoredRecord], check: Check | None = None, rows_read: int = 0) -> None:
        super().__init__(Settings())
        self._rows = sorted(rows, key=key_of)
        self._keys = [key_of(row) for row in self._rows]
        self._check = check
        self._rows_read = rows_read
        self.requested: list[AnyStatement] = []

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        self.requested.append(statement)
        values, cost = self.answer(statement)
        return Rows([statement.row(row) for row in values], cost)

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[RunsInSlot]:
        yield RunsInSlot(self.run, {"slot": tenant_id})

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        """Returns the rows as ClickHouse has them, and their cost."""
        if self._check is not None:
            self._check(statement)
        given: Mapping[str, Any] = statement.parameters
        descending = "ORDER BY timestamp DESC" in statement.sql
        first = bisect_left(self._keys, RecordId(given["start_ns"], 0))
        end = bisect_left(self._keys, RecordId(given["end_ns"], 0))
        if "after_ns" in given:
            after = RecordId(given["after_ns"], given["after_id"])
            if descending:
                end = min(end, bisect_left(self._keys, after))
            else:
                first = max(first, bisect_right(self._keys, after))
        found = self._rows[first:end]
        if descending:
            found.reverse()
        columns = statement.columns if isinstance(statement, Statement) else ""
        return [answered(row, columns) for row in found[: given.get("limit")]], Cost(1.0, self._rows_read)


def answered(row: StoredRecord, columns: str) -> Sequence[Any]:
    """Returns the columns of a row as ClickHouse answers with them."""
    text = f"JSON of {row.id}" if len(row.body) >= LARGE else ""
    if columns == PACKED_COLUMNS:
        return PackedRecord(row.timestamp, row.id, row.body, text)
    return (*row, int(text != "")) if columns == FLAGGED_COLUMNS else row
