"""An Executor that answers pages from rows in memory."""

from collections.abc import Callable, Sequence

from backend.store.execute import Answer, Executor, Row
from backend.store.statement import Statement
from backend.store.stored_record import StoredRecord
from kit.settings import Settings

Check = Callable[[Statement], None]


def stored_row(timestamp_ns: int, row_id: int, body: str = "hello", event_name: str = "") -> Row:
    """A row as ClickHouse answers with it."""
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
    """Obeys a page statement's range, order, key and limit; `check` may raise before it is answered."""

    def __init__(self, rows: Sequence[Row], check: Check | None = None, rows_read: int = 0) -> None:
        super().__init__(Settings())
        self._rows = rows
        self._check = check
        self._rows_read = rows_read
        self.asked: list[Statement] = []

    async def run(self, statement: Statement) -> Answer:
        self.asked.append(statement)
        if self._check is not None:
            self._check(statement)
        given = statement.parameters
        descending = "ORDER BY timestamp DESC" in statement.sql
        found = [row for row in self._rows if given["start_ns"] <= row[0] < given["end_ns"]]
        if "after_ns" in given:
            after = (given["after_ns"], given["after_id"])
            found = [row for row in found if ((row[0], row[1]) < after) == descending and (row[0], row[1]) != after]
        found.sort(key=lambda row: (row[0], row[1]), reverse=descending)
        limit = given["limit"]
        assert isinstance(limit, int)
        return Answer(found[:limit], 1.0, self._rows_read, 0)
