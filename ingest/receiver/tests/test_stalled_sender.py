"""Tests over real connections that senders which stop half-way do not block the next one."""

import asyncio
import contextlib
import dataclasses
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn

from ingest.receiver import http, refusal_delay
from ingest.receiver.http import http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.refusal_delay import Sender
from ingest.receiver.status import Failure
from ingest.receiver.tests.fakes import BEARER, TENANT, Receiver
from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.settings import Settings
from schema.control.limits import Limits
from schema.control.models import Purpose

UNKNOWN_FIELD = b"\x7a\x00"
"""Field 15, empty. A request of many of them has no record, and is equally valid wherever it is cut."""

SIZE = 500_000
SMALL = len(UNKNOWN_FIELD)
SENDERS = 16
PLACES = 4
WAIT_SECONDS = 20.0
SETTINGS = Settings(request_max_bytes=SIZE)
BODY = UNKNOWN_FIELD * (SIZE // 2)
OVER_ITS_QUOTA = dataclasses.replace(TENANT, limits=Limits(bytes_per_day=0))
OK = b"HTTP/1.1 200 OK\r\n"


@asynccontextmanager
async def served(receiver: Receiver, connections: int = 1000) -> AsyncIterator[int]:
    """Yields the port of a receiver's HTTP server."""
    intake = receiver.intake(SETTINGS)
    listening = socket.create_server(("127.0.0.1", 0))
    app = http_app(SETTINGS, intake, MemoryBudget(SENDERS * SIZE), {})
    server = uvicorn.Server(http_config(app, HttpLimits(connections=connections), 1))
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        intake.close()


@dataclasses.dataclass
class Sending:
    """A request that announces `size` bytes. `Sending.start` sends the first `sent` of them."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def start(cls, port: int, sent: int, size: int = SIZE) -> "Sending":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST /v1/logs HTTP/1.1\r\nhost: receiver\r\nauthorization: {BEARER[Purpose.ingest]}\r\n"
            f"content-type: application/x-protobuf\r\nexpect: 100-continue\r\ncontent-length: {size}\r\n\r\n"
        )
        writer.write(head.encode() + BODY[:sent])
        return cls(reader, writer)

    async def is_read(self) -> None:
        """Waits until the receiver reads the body."""
        assert await asyncio.wait_for(self.reader.readline(), WAIT_SECONDS) == b"HTTP/1.1 100 Continue\r\n"
        await self.reader.readline()

    async def answer(self) -> bytes:
        """Returns the first line of the answer."""
        line = await asyncio.wait_for(self.reader.readline(), WAIT_SECONDS)
        if line == b"HTTP/1.1 100 Continue\r\n":
            await self.reader.readline()
            return await self.answer()
        return line

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


async def answer_to(port: int, sent: int) -> bytes:
    """Returns the first line of the answer to a request that announces SIZE bytes and sends only `sent`."""
    sending = await Sending.start(port, sent)
    try:
        return await sending.answer()
    finally:
        await sending.close()


def test_senders_that_stop_half_way_are_refused_and_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READ_SECONDS", 0.5)
    monkeypatch.setattr(refusal_delay, "REFUSAL_SECONDS", 0.0)

    async def send() -> None:
        async with served(Receiver()) as port:
            refused = await asyncio.gather(*(answer_to(port, SIZE // 2) for _ in range(SENDERS)))
            assert all(line.startswith(b"HTTP/1.1 429 ") for line in refused), refused
            assert await answer_to(port, SIZE) == OK

    asyncio.run(send())


def test_half_sent_requests_of_a_tenant_keep_only_its_part_of_a_full_port() -> None:
    async def send() -> None:
        async with served(Receiver(), PLACES) as port:
            stalled = []
            for _ in range(PLACES):
                stalled.append(await Sending.start(port, 1))
                await stalled[-1].is_read()
            whole = []
            for _ in range(PLACES - 1):
                whole.append(await Sending.start(port, SIZE))
                assert await whole[-1].answer() == OK
            protected, *others = stalled
            protected.writer.write(BODY[1:])
            assert await protected.answer() == OK
            assert [(await each.answer())[:13] for each in others] == [b"HTTP/1.1 503 "] * (PLACES - 1)
            for each in (*stalled, *whole):
                await each.close()

    asyncio.run(send())


@dataclasses.dataclass
class EndlessDelay:
    """Delays each refusal for ever, and counts them."""

    waiting: asyncio.Queue[Sender] = dataclasses.field(default_factory=asyncio.Queue)

    async def wait(self, _failure: Failure, sender: Sender) -> None:
        await self.waiting.put(sender)
        await asyncio.Event().wait()


def test_delayed_refusals_do_not_keep_a_full_port(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send() -> None:
        delay = EndlessDelay()
        monkeypatch.setattr(http, "RefusalDelay", lambda: delay)
        async with served(Receiver(tenant=OVER_ITS_QUOTA), PLACES) as port:
            refused = [await Sending.start(port, SMALL, SMALL) for _ in range(PLACES)]
            for _ in refused:
                assert await asyncio.wait_for(delay.waiting.get(), WAIT_SECONDS) == TENANT.id
            further = await Sending.start(port, SMALL, SMALL)
            await asyncio.wait_for(delay.waiting.get(), WAIT_SECONDS)
            assert (await refused[0].answer())[:13] == b"HTTP/1.1 503 "
            for each in (further, *refused):
                await each.close()

    asyncio.run(send())
