"""Tests that what a route depends on is made on the event loop.

FastAPI runs a plain function on a thread. That takes a request some 0.2 ms for each, which a search feels.
"""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Never

import httpx2
import pytest
from fastapi import Depends, FastAPI
from starlette.types import Receive, Scope, Send

from backend import problems
from backend.admin import endpoints as admin
from backend.context import endpoints as context
from backend.export import endpoints as export
from backend.fields import endpoints as fields
from backend.search import endpoints as search
from backend.tail import endpoints as tail
from backend.unknown_parameters import check_address
from backend.usage import endpoints as usage
from kit.errors import Conflict
from kit.settings import Settings
from schema.control.directory import Grant
from schema.control.models import Purpose
from schema.control.tenant import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT = Tenant(1, "acme", TenantLanes(0), "c", ("c",), 1, 4096)


class _Refusing:
    """Stands for a service. Every method raises Conflict, which shows that the route was reached."""

    def __getattr__(self, name: str) -> Callable[..., Never]:
        raise Conflict("reached")


READS = ("search", "histogram", "explain", "fields", "export", "tail", "0", "0/context")


@pytest.mark.parametrize(
    ("path", "purpose"),
    [
        *((f"/api/v1/logs/{name}", Purpose.query) for name in READS),
        ("/api/v1/usage", Purpose.query),
        ("/api/v1/admin/tenants", Purpose.admin),
    ],
)
def test_no_dependency_runs_on_a_thread(path: str, purpose: Purpose, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> Never:
        raise AssertionError(f"a dependency of {path} is a plain function: make it `async def`")

    monkeypatch.setattr("fastapi.dependencies.utils.run_in_threadpool", refuse)
    app = FastAPI(dependencies=[Depends(check_address)])
    problems.install(app)
    for module in (export, fields, tail, search, context, usage, admin):
        app.include_router(module.router)
    directory = SimpleNamespace(grant=lambda *_: Grant(TENANT, purpose, "k1"))
    names = ("search", "context", "export", "fields", "tail", "usage", "admin")
    state = {name: _Refusing() for name in names} | {
        "backend": SimpleNamespace(settings=Settings(), directory=directory, usages=_Refusing(), lists=_Refusing())
    }

    async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": state}, receive, send)

    async def exchange() -> httpx2.Response:
        transport = httpx2.ASGITransport(with_state, client=("198.51.100.7", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client:
            return await client.get(path, headers={"authorization": "Bearer key"})

    answer = asyncio.run(exchange())
    assert answer.status_code == Conflict.status, answer.text
