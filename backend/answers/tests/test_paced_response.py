"""Tests that an answer ends when its client stops reading, and frees what it held."""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator

import pytest
from starlette.types import Message, Receive, Scope, Send

from backend.answers import paced_response, response
from backend.answers.budget import AnswerBudget
from backend.answers.paced_response import PacedResponse, Unread
from backend.answers.response import AT_ONCE_BYTES, ONE_PIECE_BYTES, json_response
from kit.server.config import http_config, limited_http
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving

HTTP = {"type": "http", "method": "GET", "asgi": {"spec_version": "2.4"}}


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("nothing requests this")


async def unread(message: Message) -> None:
    """Accepts the head of an answer, and never finishes the send of a piece."""
    if message["type"] == "http.response.body":
        await asyncio.Event().wait()


def test_an_answer_nobody_reads_ends_and_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paced_response, "SEND_SECONDS", 0.01)
    made: list[str] = []

    async def pieces() -> AsyncGenerator[bytes]:
        try:
            for number in range(5):
                made.append(str(number))
                yield b"x"
        finally:
            made.append("place given back")

    async def use() -> None:
        async with asyncio.timeout(60):
            await PacedResponse(pieces())(HTTP, never, unread)

    with pytest.raises(Unread):
        asyncio.run(use())
    assert made == ["0", "place given back"]


def test_an_answer_behind_one_that_nobody_reads_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paced_response, "SEND_SECONDS", 0.01)

    async def pieces() -> AsyncGenerator[bytes]:
        yield b"x"

    async def waits(_message: Message) -> None:
        await asyncio.Event().wait()

    async def use() -> None:
        async with asyncio.timeout(60):
            await PacedResponse(pieces())(HTTP, never, waits)

    with pytest.raises(Unread):
        asyncio.run(use())


@pytest.mark.parametrize("size", [AT_ONCE_BYTES + 1, ONE_PIECE_BYTES, 2 * ONE_PIECE_BYTES])
def test_a_page_is_counted_until_its_client_is_given_up(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "SEND_SECONDS", 0.01)
    answers = AnswerBudget(3 * size)

    async def use() -> None:
        page = await json_response([b"x" * size], 1, answers)
        assert answers._left == 2 * size
        async with asyncio.timeout(60):
            with pytest.raises(Unread):
                await page(HTTP, never, unread)
        assert answers._left == 3 * size

    asyncio.run(use())


def test_the_connection_of_a_client_that_does_not_read_is_closed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Tests an answer that is larger than the buffers of the sockets. Other tests wait for `stall_seconds`."""
    monkeypatch.setattr(response, "SEND_SECONDS", 0.01)
    answers = AnswerBudget(4 * ONE_PIECE_BYTES)
    limits = HttpLimits()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        page = await json_response([b"x" * ONE_PIECE_BYTES], 1, answers)
        await page(scope, receive, send)

    async def use() -> None:
        lost = asyncio.Event()

        class Noting(limited_http(limits)):  # type: ignore[misc]  # a base class that is made here
            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        config = http_config(app, limits, 1)
        config.http = Noting
        listening = socket.create_server(("127.0.0.1", 0))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        async with serving(config, listening) as address:
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.setblocking(False)
                loop = asyncio.get_running_loop()
                await loop.sock_connect(client, address)
                await loop.sock_sendall(client, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
                async with asyncio.timeout(60):
                    await lost.wait()

    asyncio.run(use())
    assert answers._left == 4 * ONE_PIECE_BYTES
    # Other tests of the process may have let the server log its start and its end, which are no errors.
    assert not [each for each in caplog.records if each.name == "uvicorn.error" and each.levelno >= logging.WARNING]
