"""Tests over real connections: a request that is being answered while later ones wait behind it, and trailers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from kit.server.config import http_config
from kit.server.head_limits import HEADERS
from kit.server.limits import HttpLimits
from kit.server.protocol import PIPELINED
from kit.server.tests.serving import serving

WAIT_SECONDS = 20.0
PIECE = b"0123456789"
MALFORMED = b"NOT HTTP\r\n\r\n"


@dataclass
class App:
    """An application whose answers begin, and then wait for the test."""

    began: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the application hears that the client is gone."""
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(self, request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield PIECE
            self.began.set()
            await self.go_on.wait()
            yield PIECE

        await self._notice_end(request)
        return StreamingResponse(pieces(), headers={"content-length": str(2 * len(PIECE))})

    async def slow(self, request: Request) -> Response:
        await self._notice_end(request)
        self.began.set()
        await self.go_on.wait()
        return Response(b"slow")

    async def headers(self, request: Request) -> Response:
        await request.body()
        return JSONResponse([name for name, _ in request.headers.items()])

    async def _notice_end(self, request: Request) -> None:
        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            self.left.set()

        request.state.watching = asyncio.create_task(watch())


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: a\r\n\r\n".encode()


def run(test: Callable[[App, int], Coroutine[object, object, None]]) -> None:
    async def served() -> None:
        app = App()
        routes = [
            Route("/stream", app.stream),
            Route("/slow", app.slow),
            Route("/headers", app.headers, methods=["POST"]),
        ]
        config = http_config(Starlette(routes=routes), HttpLimits(), 1)
        async with asyncio.timeout(WAIT_SECONDS), serving(config) as (_, port):
            try:
                await test(app, port)
            finally:
                app.go_on.set()

    asyncio.run(served())


@pytest.mark.parametrize("path", ["/stream", "/slow"])
@pytest.mark.parametrize("behind", [b"", get("/slow")], ids=["alone", "pipelined"])
def test_an_application_hears_that_its_client_is_gone(path: str, behind: bytes) -> None:
    async def leave(app: App, port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get(path) + behind)
        await app.began.wait()
        writer.close()
        await app.left.wait()

    run(leave)


@pytest.mark.parametrize(
    "behind", [MALFORMED, get("/slow") + MALFORMED, get("/slow") * (PIPELINED + 2)], ids=["alone", "queued", "too many"]
)
@pytest.mark.parametrize("path", ["/stream", "/slow"])
def test_a_refusal_is_never_part_of_an_earlier_answer(path: str, behind: bytes) -> None:
    async def refuse(app: App, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get(path))
        await app.began.wait()
        writer.write(behind)
        await app.left.wait()
        app.go_on.set()
        try:
            received = await reader.read()
        except ConnectionResetError:
            received = b""
        writer.close()
        # The refusal is the answer of a request whose own has not begun, if no other one waits.
        assert sum(line.startswith(b"HTTP/1.1 ") for line in received.splitlines()) <= 1
        assert received == b"" or received.endswith(PIECE) or received.startswith(b"HTTP/1.1 400 ")

    run(refuse)


def test_trailers_of_a_body_are_no_headers() -> None:
    async def send(_app: App, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        trailers = b"authorization: Bearer key\r\nx-forwarded-for: 192.0.2.1\r\n"
        head = b"POST /headers HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        writer.write(head + b"1\r\nx\r\n0\r\n" + trailers + b"\r\n")
        received = await reader.read()
        writer.close()
        assert received.startswith(b"HTTP/1.1 200 ")
        assert received.endswith(b'["host","transfer-encoding","connection"]')

    run(send)


def test_trailers_count_like_headers() -> None:
    async def send(_app: App, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = b"POST /headers HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head + b"1\r\nx\r\n0\r\n" + b"a: b\r\n" * HEADERS + b"\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 431 ")
        writer.close()

    run(send)
