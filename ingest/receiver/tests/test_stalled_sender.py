"""Tests over real connections that senders which stop half-way do not block the next one."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn

from ingest.receiver import http
from ingest.receiver.http import http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import BEARER, Topic, intake
from kit.settings import Settings
from schema.control.models import Purpose

SIZE = 500_000
SENDERS = 16
SETTINGS = Settings(request_max_bytes=SIZE)
UNKNOWN_FIELD = b"\x7a\x00"
"""Field 15, empty. A request of many of them has no record, and is equally valid wherever it is cut."""


@asynccontextmanager
async def served(budget: MemoryBudget) -> AsyncIterator[int]:
    """Yields the port of a receiver's HTTP server."""
    receiver = intake(Topic(), SETTINGS)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(http_app(SETTINGS, receiver, budget, {}), lifespan="off", log_config=None))
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        receiver.close()


async def answer_to(port: int, sent: int) -> bytes:
    """Returns the first line of the answer to a request that announces SIZE bytes and sends only `sent`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST /v1/logs HTTP/1.1\r\nhost: receiver\r\nauthorization: {BEARER[Purpose.ingest]}\r\n"
        f"content-type: application/x-protobuf\r\ncontent-length: {SIZE}\r\n\r\n"
    )
    writer.write(head.encode() + (UNKNOWN_FIELD * (SIZE // 2))[:sent])
    try:
        return await reader.readline()
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def test_senders_that_stop_half_way_are_refused_and_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READ_SECONDS", 0.5)
    monkeypatch.setattr(http, "REFUSAL_SECONDS", 0.0)

    async def send() -> None:
        async with served(MemoryBudget(SENDERS * SIZE)) as port:
            stalled = [answer_to(port, SIZE // 2) for _ in range(SENDERS)]
            refused = await asyncio.wait_for(asyncio.gather(*stalled), 20)
            assert all(line.startswith(b"HTTP/1.1 429 ") for line in refused), refused
            assert await answer_to(port, SIZE) == b"HTTP/1.1 200 OK\r\n"

    asyncio.run(send())
