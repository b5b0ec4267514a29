"""Tests that the records of a page count while the page is still being read."""

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

import pytest

from backend.answers.tests.resources import resources_with
from backend.search.endpoints import _answer
from backend.search.found_page import FoundPage
from backend.search.parameters import PageParameters
from backend.search.service import SearchService
from kit.clock import SystemClock
from kit.errors import QueryTooExpensive
from schema.columns import PackedRecord, Record
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT = Tenant(1, "a", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)
LARGE = PackedRecord(1, 1, "x" * 100_000, "{}")


class Windows:
    """A service whose page has a large record in each of many time windows."""

    def __init__(self) -> None:
        self.resources = resources_with(500_000, SystemClock())
        self.windows = 0

    async def page(self, _tenant: object, _requested: object, count: Callable[[Sequence[Record]], None]) -> FoundPage:
        while True:
            count([LARGE])
            self.windows += 1


def test_a_page_counts_while_it_is_read() -> None:
    service = Windows()
    with pytest.raises(QueryTooExpensive, match="LOGSIEVE_QUERY_MAX_UNREAD_BYTES"):
        asyncio.run(_answer(TENANT, cast("SearchService", service), PageParameters(query=""), ""))
    assert service.windows == 2
    assert service.resources.answers._left == 500_000
