"""Tests how much of a webhook's answer is read, with a server that sends more than it should."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backend.alerts.bounded_answer import MAX_ANSWER_BYTES
from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.tests.sending import send, with_test_notice
from backend.alerts.tests.world import World, run

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
SECONDS = 60.0
"""Longest time until the sender has closed the connection, in seconds. It is longer than an attempt."""


class Talker:
    """A server that sends `first`, and then `more` until its client closes the connection."""

    def __init__(self, first: bytes, more: bytes) -> None:
        self._first, self._more = first, more
        self.url = ""
        self.closed = asyncio.Event()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(self._first)
        try:
            while True:
                writer.write(self._more)
                await writer.drain()
        except ConnectionError:
            self.closed.set()
        finally:
            writer.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        try:
            yield
        finally:
            server.close()


@pytest.mark.parametrize(
    ("first", "more", "state", "detail"),
    [
        (b"", CONTINUE, "failed", "the webhook sent more than 32 KiB of interim answers (1xx)"),
        (CONTINUE[: len(CONTINUE) // 2] + OK, b"a" * MAX_ANSWER_BYTES, "sent", ""),
    ],
)
def test_an_answer_without_end_ends_the_attempt(
    control_home: Path, first: bytes, more: bytes, state: str, detail: str
) -> None:
    async def use(world: World) -> None:
        webhook = Talker(first, more)
        async with webhook.running(), asyncio.timeout(SECONDS):
            read = await with_test_notice(world, Channel(ChannelKind.webhook, webhook.url))
            await send(world)
            await webhook.closed.wait()
        (notice,) = await read()
        assert (notice.state, notice.attempts) == (state, 1)
        assert notice.detail.startswith(detail)

    run(control_home, None, use, alerts_webhook_networks="127.0.0.0/8")
