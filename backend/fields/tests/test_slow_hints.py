"""Tests that an empty page does not wait for hints from a log store that does not answer."""

import asyncio

import pytest

from backend.fields import hints
from backend.fields.hints import HintService
from backend.language.parse import parse
from backend.store.query_threads import QueryThreads
from backend.store.rows import Rows
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement, SystemStatement
from backend.store.tests.fake_log_store import FakeLogStore, R
from kit.clock import SystemClock

SCOPE = Scope(1, (0,), ("r30",), TimeRange(1, 2))
QUERY = "not service:Checkout"


class Silent(FakeLogStore):
    """A log store whose statements end only when they are cancelled."""

    def __init__(self) -> None:
        super().__init__([])
        self.stopped = 0

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:  # noqa: ARG002 it answers none
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped += 1
        raise AssertionError


def test_hints_that_need_no_log_store_are_given_and_its_statement_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "SECONDS", 0.05)
    store, queries = Silent(), QueryThreads(SystemClock())

    async def find() -> list[str]:
        return [hint.detail for hint in await HintService(store, queries).find(SCOPE, QUERY, parse(QUERY))]

    try:
        found = asyncio.run(asyncio.wait_for(find(), 60))
    finally:
        queries.close()

    assert found == ["not is searched as a word; the operator is written NOT"]
    assert store.stopped == 1
