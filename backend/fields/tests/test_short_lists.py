"""Tests that short lists of fields and values do not wait until other answers of the tenant are written."""

import asyncio
from types import SimpleNamespace
from typing import Any, Final

import pytest
from fastapi import Request
from fastapi.responses import Response

from backend.answers.response import AT_ONCE_BYTES
from backend.answers.tests.resources import resources_with, writing
from backend.fields.endpoints import ValuesParameters, fields, values
from backend.fields.schemas import FieldCount, Fields, ValueCount, Values
from backend.logs.parameters import SearchParameters
from kit.clock import SystemClock
from kit.errors import RateLimited
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT: Final = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)
COUNTING: Final[dict[str, Any]] = {"basis": "newest", "sampled": 1, "start": "", "end": "", "complete": True}
LONG: Final = "a" * AT_ONCE_BYTES


class _Lists:
    """A service whose lists have one name or value."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def fields(self, *_requested: object) -> Fields:
        return Fields(**COUNTING, fields=[FieldCount(name=self._text, source="attributes", records=1)])

    async def values(self, *_requested: object) -> Values:
        found = [ValueCount(value=self._text, records=1)]
        return Values(**COUNTING, name="shop", records=1, more=False, values=found)


def listed(text: str) -> list[Response]:
    """Returns both lists while another answer of the tenant is written."""

    async def use() -> list[Response]:
        resources = resources_with(16 * AT_ONCE_BYTES, SystemClock())
        state = {"fields": _Lists(text), "backend": SimpleNamespace(resources=resources)}
        request = Request({"type": "http", "state": state})
        async with writing(resources, TENANT.id):
            return [
                await fields(request, TENANT, SearchParameters()),
                await values(request, TENANT, "shop", ValuesParameters()),
            ]

    return asyncio.run(use())


def test_short_lists_do_not_wait_for_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.answers.response.TURN_SECONDS", 0.01)
    assert [b'"red"' in response.body for response in listed("red")] == [True, True]
    with pytest.raises(RateLimited):
        listed(LONG)
