"""Tests that each OTLP request has one line in the log, if the setting is on."""

import asyncio
from collections.abc import AsyncIterator
from typing import NoReturn, cast

import grpc
import httpx2
import pytest
from structlog.testing import capture_logs

from ingest.receiver.grpc import Context, GrpcExport
from ingest.receiver.grpc_traffic import Traffic
from ingest.receiver.http import PATH, http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import BEARER, Topic, intake
from kit.settings import Settings
from schema.control.models import Purpose

BUDGET = 2**30


@pytest.mark.parametrize(("setting", "statuses"), [("all", [200, 401]), ("rest", []), ("off", [])])
def test_exports_over_http_have_a_line_where_the_setting_says_so(setting: str, statuses: list[int]) -> None:
    async def send() -> None:
        settings = Settings.model_validate({"access_log": setting})
        receiver = intake(Topic(), settings)
        transport = httpx2.ASGITransport(http_app(settings, receiver, MemoryBudget(BUDGET), {}))
        try:
            async with httpx2.AsyncClient(transport=transport, base_url="http://receiver") as client:
                for key in (BEARER[Purpose.ingest], "Bearer wrong"):
                    headers = {"authorization": key, "content-type": "application/json"}
                    await client.post(f"{PATH}?secret", headers=headers, content=b"{}")
        finally:
            receiver.close()

    with capture_logs() as lines:
        asyncio.run(send())
    requests = [line for line in lines if line["event"] == "request"]
    assert [line["status"] for line in requests] == statuses
    assert all((line["method"], line["route"]) == ("POST", PATH) for line in requests)
    assert "secret" not in str(requests)


class Call:
    """Fake gRPC call with a key. Has only the parts that the method uses."""

    def __init__(self, key: str) -> None:
        self._key = key

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", self._key),)

    def peer(self) -> str:
        return "ipv4:198.51.100.7:1"

    async def read(self) -> bytes:
        return b""

    async def abort(self, *_: object) -> NoReturn:
        raise grpc.aio.AbortError


async def no_messages() -> AsyncIterator[bytes]:
    """Yields nothing, because the method reads from the call."""
    nothing: tuple[bytes, ...] = ()
    for message in nothing:
        yield message


def test_calls_over_grpc_have_a_line_with_the_name_of_their_code() -> None:
    async def call() -> None:
        settings = Settings()
        receiver = intake(Topic(), settings)
        method = GrpcExport(settings, receiver, MemoryBudget(BUDGET), Traffic())
        try:
            await method.export_logged(no_messages(), cast(Context, Call(BEARER[Purpose.ingest])))
            with pytest.raises(grpc.aio.AbortError):
                await method.export_logged(no_messages(), cast(Context, Call("Bearer wrong")))
        finally:
            receiver.close()

    with capture_logs() as lines:
        asyncio.run(call())
    assert [line["status"] for line in lines if line["event"] == "request"] == ["OK", "UNAUTHENTICATED"]
