"""Tests that the log has one line for each request to the API, with the route's template."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import httpx2
from fastapi import FastAPI
from structlog.testing import capture_logs

from backend.bodies import BODY_BYTES, GuardBodies
from backend.http_semantics import HttpSemantics
from backend.problems import route_of
from kit.access_log import AccessLog, identified
from kit.clock import ManualClock
from kit.errors import Unauthenticated
from schema.control.directory import Directory, Grant
from schema.control.models import Purpose
from schema.control.tenant import Tenant
from schema.control.tenant_lanes import TenantLanes
from schema.control.wrong_keys import WrongKeys

TENANT = Tenant(1, "acme", TenantLanes(0), "c", ("c",), 1, 4096)
GOOD = {"authorization": "Bearer good"}
WRONG = {"authorization": "Bearer wrong"}


class OneKey(Directory):
    """A directory that knows the key `good`. An address may send two wrong keys a minute."""

    def __init__(self, clock: ManualClock) -> None:
        self._wrong = WrongKeys(2, clock)

    def grant(self, key: str, address: str | None = None) -> Grant:
        if key != "good":
            self._wrong.count(address or "")
            raise Unauthenticated("the key is not known")
        identified(TENANT.name, "k1")
        return Grant(TENANT, Purpose.query, "k1")


def exchange(*requests: tuple[str, str, dict[str, str], bytes]) -> list[MutableMapping[str, Any]]:
    """Returns the log lines of requests to one app. A request is method, URL, headers and body."""
    app, clock = FastAPI(), ManualClock()
    app.add_middleware(GuardBodies, directory=OneKey(clock))
    app.add_middleware(HttpSemantics)
    app.add_middleware(AccessLog, clock=clock, route_of=route_of)

    @app.get("/api/logs/{id}")
    async def record(id: str) -> str:
        return id

    @app.post("/api/search")
    async def search() -> str:
        return "found"

    async def send() -> None:
        # The address is not loopback, because requests from there may come through a proxy.
        transport = httpx2.ASGITransport(app, client=("198.51.100.7", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client:
            for method, url, headers, body in requests:
                await client.request(method, url, headers=headers, content=body or None)

    with capture_logs() as lines:
        asyncio.run(send())
    return lines


def test_a_line_has_the_routes_template_and_no_search_text() -> None:
    lines = exchange(
        ("GET", "/api/logs/17?query=password", {}, b""),
        ("HEAD", "/api/logs/17", {}, b""),
        ("GET", "/nowhere", {}, b""),
        ("GET", "/api/logs/17?query=%ff", {}, b""),
    )
    requested = [(line["method"], line["route"], line["status"]) for line in lines]
    template = "/api/logs/{id}"
    assert requested == [("GET", template, 200), ("HEAD", template, 200), ("GET", None, 404), ("GET", None, 400)]
    assert "password" not in str(lines)
    assert [line["bytes_out"] for line in lines[:2]] == [4, 0]


def test_refused_bodies_have_a_line_and_wrong_keys_in_them_are_delayed_by_address() -> None:
    lines = exchange(
        ("POST", "/api/search", GOOD, b"x" * 10),
        ("POST", "/api/search", GOOD, b"x" * (BODY_BYTES + 1)),
        *[("POST", "/api/search", WRONG, b"x")] * 3,
        ("POST", "/api/search", GOOD, b"x"),
    )
    assert [line["status"] for line in lines] == [200, 413, 401, 401, 429, 200]
    assert [(line["tenant"], line["key"]) for line in lines[:3]] == [("acme", "k1")] * 2 + [(None, None)]
    assert lines[0]["bytes_in"] == 10
