"""Tests that a short record does not wait until other answers of its tenant are written."""

import asyncio
from types import SimpleNamespace
from typing import Final

import pytest
from fastapi import Request
from fastapi.responses import Response

from backend.answers.response import AT_ONCE_BYTES
from backend.answers.tests.resources import resources_with, writing
from backend.search.endpoints import record
from backend.store.tests.fake_log_store import stored_row
from kit.clock import SystemClock
from kit.errors import RateLimited
from schema.columns import Record
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT: Final = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)


def test_a_short_record_does_not_wait_for_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.answers.response.TURN_SECONDS", 0.01)

    async def read(body: str) -> Response:
        resources = resources_with(3 * AT_ONCE_BYTES, SystemClock())

        async def found(*_requested: object) -> Record:
            return stored_row(1, 1, body)

        service = SimpleNamespace(record=found, resources=resources)
        request = Request({"type": "http", "state": {"search": service}})
        async with writing(resources, TENANT.id):
            return await record(request, TENANT, "id")

    assert b'"red"' in asyncio.run(read("red")).body
    with pytest.raises(RateLimited):
        asyncio.run(read("a" * AT_ONCE_BYTES))
