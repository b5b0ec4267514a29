"""Tests that counts read small blocks where no index knows the rows, and that pages never do."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from backend.search.parameters import HistogramParameters, PageParameters
from backend.search.tests.services import search_service
from backend.store.rows import Cost
from backend.store.statement import SystemStatement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)


class _Store(FakeLogStore):
    """A store without records, whose tables have an index on words of one profile."""

    def __init__(self, *, finds_words: bool) -> None:
        super().__init__([])
        self._kinds = (1, 0, 1) if finds_words else (0, 1, 1)

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if isinstance(statement, SystemStatement):
            return [self._kinds], Cost()
        return [], Cost()


@pytest.mark.parametrize(
    ("text", "tokenbf", "text_index"),
    [
        ("word", True, False),
        ("word service:a", True, False),
        ("/w.rd/", True, True),
        ("-word", True, True),
        ("", False, False),
        ("service:a", False, False),
        ("a:b", False, False),
    ],
)
def test_counts_that_test_bodies_read_small_blocks_and_pages_do_not(text: str, tokenbf: bool, text_index: bool) -> None:
    for finds_words, is_small in ((False, tokenbf), (True, text_index)):
        assert _blocks(text, finds_words=finds_words) == [None, 1_024 if is_small else None]


def _blocks(text: str, *, finds_words: bool) -> list[int | None]:
    """Returns the block sizes of a page's statement and of a count's."""
    store = _Store(finds_words=finds_words)
    service = search_service(Settings(), store, ManualClock(10**18))

    async def count() -> None:
        await service.page(TENANT, PageParameters(query=text))
        await service.histogram(TENANT, HistogramParameters(query=text))

    asyncio.run(count())
    requested = [
        each for each in store.requested if not isinstance(each, SystemStatement) and "EXPLAIN" not in each.sql
    ]
    return [each.settings.get("max_block_size") for each in requested]
