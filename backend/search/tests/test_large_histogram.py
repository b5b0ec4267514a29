"""Tests that the answer of a histogram with long values counts until the client has read it, and waits until other
answers of the tenant are written, while a short one does not."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import pytest
from fastapi import Request
from fastapi.responses import Response

from backend.answers.paced_response import PacedResponse
from backend.answers.response import AT_ONCE_BYTES
from backend.answers.tests.resources import resources_with, writing
from backend.search.endpoints import histogram, histogram_by_body
from backend.search.parameters import HistogramParameters
from backend.search.service import SearchService
from backend.search.tests.services import no_hints
from backend.store.counted_field import VALUES_BYTES
from backend.store.rows import Cost
from backend.store.statement import Statement, SystemStatement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock, SystemClock
from kit.errors import RateLimited
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT: Final = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)
LONG: Final = "a" * AT_ONCE_BYTES


class OneValue(FakeLogStore):
    """A store with one value."""

    def __init__(self, value: str) -> None:
        super().__init__([])
        self._value = value

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if isinstance(statement, SystemStatement):
            return [(0, 1, 1)], Cost()
        return [(1, 1, self._value, ([], []))], Cost()


@pytest.mark.parametrize("route", [histogram, histogram_by_body])
def test_long_values_count_until_the_client_has_read_them(route: Any) -> None:
    store, clock = OneValue(LONG), ManualClock(10**18)

    async def use() -> None:
        resources = resources_with(3 * AT_ONCE_BYTES, SystemClock())
        request = Request(
            {"type": "http", "state": {"search": SearchService(Settings(), store, clock, resources, no_hints)}}
        )

        async def requested() -> Response:
            answer = await route(request, TENANT, HistogramParameters(by="shop"))
            assert isinstance(answer, Response)
            return answer

        first = await requested()
        assert isinstance(first, PacedResponse)
        with pytest.raises(RateLimited, match="have not read"):
            await requested()
        resources.close()

    asyncio.run(use())
    (counts,) = {each.result_bytes for each in store.requested if isinstance(each, Statement)}
    assert counts == VALUES_BYTES


def test_a_short_histogram_does_not_wait_for_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.answers.response.TURN_SECONDS", 0.01)

    async def counted(value: str) -> Response:
        resources = resources_with(3 * AT_ONCE_BYTES, SystemClock())
        service = SearchService(Settings(), OneValue(value), ManualClock(10**18), resources, no_hints)
        request = Request({"type": "http", "state": {"search": service}})
        async with writing(resources, TENANT.id):
            return await histogram(request, TENANT, HistogramParameters(by="shop"))

    assert b'"red"' in asyncio.run(counted("red")).body
    with pytest.raises(RateLimited):
        asyncio.run(counted(LONG))
