"""Tests over real connections of requests that ask for another protocol, as Java's HttpClient does in every request."""

import asyncio
from collections.abc import Sequence

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.config import http_config, limited_http
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving

WAIT_SECONDS = 20.0
ASKS = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAA\r\n"
LAST = b"GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
BODY = b"GET /body HTTP/1.1\r\nhost: a\r\n\r\n"
"""A body that would be answered if it were taken for a request."""


def head(framing: bytes, method: bytes = b"POST") -> bytes:
    return method + b" /first HTTP/1.1\r\nhost: a\r\n" + ASKS + framing + b"\r\n"


WITH_LENGTH = head(b"content-length: %d\r\n" % len(BODY)) + BODY
CHUNKED = head(b"transfer-encoding: chunked\r\n") + b"%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"
WITHOUT_BODY = head(b"", b"GET")


async def answers(pieces: Sequence[bytes]) -> tuple[list[tuple[str, bytes]], bytes]:
    """Sends the pieces over one connection, each when the previous one was processed. Returns path and body of the
    requests that the application got, and what the client received."""
    got: list[tuple[str, bytes]] = []

    async def note(request: Request) -> Response:
        assert "upgrade" not in request.headers
        got.append((request.url.path, await request.body()))
        return Response(b"")

    app = Starlette(routes=[Route("/{path:path}", note, methods=["GET", "POST", "CONNECT"])])
    config = http_config(app, HttpLimits(), 1)
    processed: asyncio.Queue[bytes] = asyncio.Queue()

    class Noting(limited_http(HttpLimits())):  # type: ignore[misc]  # a base class that is made here
        def process(self, data: bytes) -> None:
            super().process(data)
            processed.put_nowait(data)

    config.http = Noting
    async with serving(config) as address, asyncio.timeout(WAIT_SECONDS):
        reader, writer = await asyncio.open_connection(*address)
        for piece in pieces:
            writer.write(piece)
            left = len(piece)
            while left > 0:
                left -= len(await processed.get())
        received = await reader.read()
        writer.close()
    return got, received


@pytest.mark.parametrize("first", [WITH_LENGTH, CHUNKED], ids=["length", "chunked"])
@pytest.mark.parametrize("size", [None, 7], ids=lambda size: f"pieces of {size}")
def test_the_body_of_a_request_for_another_protocol_is_read(first: bytes, size: int | None) -> None:
    sent = first + LAST
    step = size or len(sent)
    got, received = asyncio.run(answers([sent[at : at + step] for at in range(0, len(sent), step)]))
    assert got == [("/first", BODY), ("/last", b"")]
    assert received.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize("behind", [WITHOUT_BODY, WITH_LENGTH, CHUNKED], ids=["none", "length", "chunked"])
def test_requests_behind_one_for_another_protocol_are_answered(behind: bytes) -> None:
    got, received = asyncio.run(answers([WITHOUT_BODY + behind + LAST]))
    assert [path for path, _ in got] == ["/first", "/first", "/last"]
    assert received.count(b"HTTP/1.1 200 ") == 3


CLOSING = [
    b"POST /first HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: h2c\r\ncontent-length: 3\r\n\r\nabc",
    b"POST /first HTTP/1.0\r\nconnection: upgrade\r\nupgrade: websocket\r\ncontent-length: 3\r\n\r\nabc",
]


@pytest.mark.parametrize("request_text", CLOSING, ids=["close", "1.0"])
def test_a_request_for_another_protocol_that_closes_its_connection_is_answered(request_text: bytes) -> None:
    got, received = asyncio.run(answers([request_text]))
    assert got == [("/first", b"abc")]
    assert received.startswith(b"HTTP/1.1 200 ")


def test_trailers_ask_for_no_other_protocol() -> None:
    head = b"POST /first HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
    got, _ = asyncio.run(answers([head + b"1\r\nx\r\n0\r\n" + ASKS + b"\r\n" + LAST]))
    assert got == [("/first", b"x"), ("/last", b"")]


def test_a_request_for_a_tunnel_is_refused_and_nothing_behind_it_is_read() -> None:
    got, received = asyncio.run(answers([b"CONNECT /first HTTP/1.1\r\nhost: a\r\n\r\n" + LAST]))
    assert got == []
    assert received.startswith(b"HTTP/1.1 400 ")
    assert b"connection: close" in received
