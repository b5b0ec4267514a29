"""Tests over real connections of requests that a proxy and the server could read differently."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving

WAIT_SECONDS = 20.0
HOST = b"host: a\r\n"
UPGRADE = b"connection: upgrade\r\nupgrade: h2c\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n"
CHUNKED = b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n0\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"


def post(headers: bytes, version: bytes = b"1.1") -> bytes:
    return b"POST /first HTTP/" + version + b"\r\n" + headers + b"\r\n"


def coded(codings: bytes, headers: bytes = HOST) -> bytes:
    return post(headers + b"transfer-encoding: " + codings + b"\r\n") + CHUNKED


async def answers(sent: bytes) -> tuple[list[tuple[str, bytes]], bytes]:
    """Sends the bytes over one connection. Returns path and body of the requests that the application got, and what the
    client received."""
    got: list[tuple[str, bytes]] = []

    async def note(request: Request) -> Response:
        got.append((request.url.path, await request.body()))
        return Response(b"")

    app = Starlette(routes=[Route("/{path:path}", note, methods=["GET", "POST"])])
    async with serving(http_config(app, HttpLimits(), 1)) as address, asyncio.timeout(WAIT_SECONDS):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(sent)
        received = await reader.read()
        writer.close()
    return got, received


@pytest.mark.parametrize(
    ("first", "status", "text"),
    [
        (post(b""), 400, "has 0 Host headers; send exactly one"),
        (post(UPGRADE), 400, "has 0 Host headers"),
        (post(HOST + HOST), 400, "has 2 Host headers"),
        (post(HOST + b"host: b\r\n", b"1.0"), 400, "has 2 Host headers"),
        (post(b"host: a, b\r\n"), 400, "the Host header is 'a, b'; it must be a host name"),
        (post(b"host: a/b\r\n"), 400, "the Host header is 'a/b'"),
        (coded(b"gzip, chunked"), 501, "the Transfer-Encoding is 'gzip, chunked'; send chunked alone"),
        (coded(b"gzip, chunked", HOST + UPGRADE), 501, "the Transfer-Encoding is 'gzip, chunked'"),
        (coded(b"identity\r\nTransfer-Encoding: Chunked"), 501, "the Transfer-Encoding is 'identity, chunked'"),
        (coded(b"xchunked"), 501, "the Transfer-Encoding is 'xchunked'"),
        (coded(b"chunked, chunked"), 400, "not an HTTP/1.1 request"),
        (coded(b"chunked\r\ncontent-length: 5"), 400, "not an HTTP/1.1 request"),
        (coded(b"chunked", HOST + b"content-length: 5\r\n"), 400, "not an HTTP/1.1 request"),
        (post(HOST + b"content-length: 5\r\ncontent-length: 6\r\n") + b"123456", 400, "not an HTTP/1.1 request"),
    ],
)
def test_an_unclear_request_is_refused_and_nothing_behind_it_is_read(first: bytes, status: int, text: str) -> None:
    got, received = asyncio.run(answers(first + LAST))
    assert got == []
    assert received.startswith(b"HTTP/1.1 %d " % status)
    assert received.count(b"\r\n\r\n") == 1
    assert b"connection: close" in received
    assert text.encode() in received


@pytest.mark.parametrize(
    ("first", "body"),
    [
        (coded(b"chunked"), HIDDEN),
        (coded(b", Chunked"), HIDDEN),
        (post(b"host:\r\n"), b""),
        (post(b"host: logs_1.example:4318\r\n"), b""),
        (post(b"host: [2001:db8::1]:4318 \t\r\n"), b""),
        (post(b"host: [fe80::1%25br-lan]\r\n"), b""),
    ],
)
def test_a_clear_request_is_answered(first: bytes, body: bytes) -> None:
    got, received = asyncio.run(answers(first + LAST))
    assert got == [("/first", body), ("/last", b"")]
    assert received.count(b"HTTP/1.1 200 ") == 2


def test_a_request_of_http_1_0_needs_no_host() -> None:
    got, received = asyncio.run(answers(post(b"content-length: 3\r\n", b"1.0") + b"abc"))
    assert got == [("/first", b"abc")]
    assert received.startswith(b"HTTP/1.1 200 ")
