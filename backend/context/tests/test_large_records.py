"""Tests that a context of large records holds a bounded number of bytes, and counts them as held for its tenant."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import pytest

from backend.answers.resources import Resources
from backend.answers.tests.resources import resources_with
from backend.context.schemas import Context
from backend.context.service import SIDE_BYTES, ContextService
from backend.context.tests.test_service import NOW_NS, SECOND, TENANT
from backend.store.limits import AnswerTooLarge
from backend.store.record_id import key_of
from backend.store.rows import Cost
from backend.store.scroll import STEP_BYTES
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import SystemClock
from kit.errors import QueryTooExpensive
from kit.settings import Settings

RECORD_BYTES: Final = 2**20
ROWS: Final = [
    stored_row(NOW_NS - 3600 * SECOND + number * SECOND, number)._replace(attributes={"a": "x" * RECORD_BYTES})
    for number in range(81)
]
MIDDLE: Final = ROWS[40]


class LargeRecords(FakeLogStore):
    """Answers look-ups of MIDDLE, and refuses answers with more bytes than the statement allows."""

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if "record_id" in statement.parameters:
            return [MIDDLE], Cost(1.0, 1)
        rows, cost = super().answer(statement)
        limit = statement.result_bytes if isinstance(statement, Statement) else None
        if len(rows) * RECORD_BYTES > (limit or Settings().query_max_result_bytes):
            raise AnswerTooLarge("too large")
        return rows, cost


def around(resources: Resources) -> Context:
    service = ContextService(Settings(), LargeRecords(ROWS), SystemClock(), resources)
    pieces = asyncio.run(service.around(TENANT, str(key_of(MIDDLE)), 40, 40, ()))
    return Context.model_validate_json(b"".join(pieces))


def test_a_side_of_large_records_ends_early_and_says_so() -> None:
    context = around(resources_with(Settings().query_max_unread_bytes, SystemClock()))

    for side in (context.before, context.after):
        assert SIDE_BYTES <= len(side) * RECORD_BYTES < SIDE_BYTES + STEP_BYTES
    assert (context.complete_before, context.complete_after) == (False, False)
    assert (context.searched_from, context.searched_to) == (context.before[0].timestamp, context.after[-1].timestamp)


def test_records_count_while_the_request_holds_them() -> None:
    resources = resources_with(SIDE_BYTES, SystemClock())

    with pytest.raises(QueryTooExpensive, match="request fewer records at once"):
        around(resources)

    with resources.answers.share(TENANT.id) as largest:
        largest.grow(SIDE_BYTES // 2)
