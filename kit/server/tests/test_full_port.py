"""Tests over real connections that a full port replaces connections which wait for their clients, and no others."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from kit.server.config import http_config
from kit.server.connections import connection_of
from kit.server.limits import HttpLimits
from kit.server.turn_taking import BODY_PIECE

WAIT_SECONDS = 20.0
PLACES = 3
OWNER = 7
PIECE, PIECES = bytes(2**20), 64
"""Pieces of an answer that no socket buffers hold."""

Stream: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class App:
    """An application whose requests wait in the middle until the test continues."""

    arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    """Path of each request when it starts to wait: for its body, or for the test."""
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def quick(self, _request: Request) -> Response:
        return Response(b"quick")

    async def works(self, request: Request) -> Response:
        await self._wait(request)
        return Response(b"worked")

    async def released(self, request: Request) -> Response:
        connection = connection_of(request.scope)
        assert connection is not None
        connection.release()
        await self._body(request)
        await self._wait(request)
        return Response(b"released")

    async def reads(self, request: Request) -> Response:
        return Response(str(len(await self._body(request))).encode())

    async def protected(self, request: Request) -> Response:
        connection = connection_of(request.scope)
        assert connection is not None
        connection.protect(OWNER)
        return Response(str(len(await self._body(request))).encode())

    async def huge(self, _request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(PIECES):
                yield PIECE

        return StreamingResponse(pieces())

    async def _wait(self, request: Request) -> None:
        await self.arrived.put(request.url.path)
        await self.go_on.wait()

    async def _body(self, request: Request) -> bytes:
        await self.arrived.put(request.url.path)
        return await request.body()


@dataclass
class Port:
    """A port with PLACES connections at most."""

    number: int
    app: App
    opened: AsyncExitStack

    async def connect(self, sent: bytes) -> Stream:
        """Opens a connection, sends these bytes, and returns the streams."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.number)
        self.opened.callback(writer.close)
        writer.write(sent)
        return reader, writer

    async def waiting(self, sent: bytes) -> Stream:
        """Opens a connection, and returns when the application waits in the middle of its request."""
        stream = await self.connect(sent)
        await asyncio.wait_for(self.app.arrived.get(), WAIT_SECONDS)
        return stream

    async def status(self) -> int:
        """Returns the status of a quick request over a new connection, which stays open."""
        reader, _ = await self.connect(get("/quick"))
        return await status_of(reader)


async def status_of(reader: asyncio.StreamReader) -> int:
    """Returns the status of the next answer; 0 if the connection was closed without one."""
    line = await asyncio.wait_for(reader.readline(), WAIT_SECONDS)
    return int(line.split()[1]) if line else 0


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: port\r\n\r\n".encode()


def half_sent(path: str) -> bytes:
    """Returns a request whose last byte is missing, and whose application has started."""
    return f"POST {path} HTTP/1.1\r\nhost: port\r\ncontent-length: {BODY_PIECE + 1}\r\n\r\n".encode() + bytes(
        BODY_PIECE
    )


@asynccontextmanager
async def served() -> AsyncIterator[Port]:
    app = App()
    names = ("quick", "works", "released", "reads", "protected", "huge")
    routes = [Route(f"/{name}", getattr(app, name), methods=["GET", "POST"]) for name in names]
    config = http_config(Starlette(routes=routes), HttpLimits(connections=PLACES), 1)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listening]))
    async with AsyncExitStack() as opened:
        yield Port(listening.getsockname()[1], app, opened)
        app.go_on.set()
    server.should_exit = True
    await serving


def run(test: Callable[[Port], Coroutine[None, None, None]]) -> None:
    async def within() -> None:
        async with served() as port:
            await test(port)

    asyncio.run(within())


def test_a_connection_whose_request_is_worked_on_keeps_its_place() -> None:
    async def test(port: Port) -> None:
        working = [await port.waiting(get("/works")) for _ in range(PLACES)]
        assert await port.status() == 503
        port.app.go_on.set()
        assert [await status_of(reader) for reader, _ in working] == [200] * PLACES

    run(test)


def test_the_oldest_half_sent_body_makes_room_and_is_answered_503() -> None:
    async def test(port: Port) -> None:
        halves = [await port.waiting(half_sent("/reads")) for _ in range(PLACES)]
        assert await port.status() == 200
        (first, _), *others = halves
        assert await status_of(first) == 503
        for reader, writer in others:
            writer.write(b"x")
            assert await status_of(reader) == 200

    run(test)


def test_a_protected_body_keeps_its_place() -> None:
    async def test(port: Port) -> None:
        protected, writer = await port.waiting(half_sent("/protected"))
        unprotected = [(await port.waiting(half_sent("/protected")))[0] for _ in range(PLACES - 1)]
        assert [await port.status() for _ in range(PLACES - 1)] == [200] * (PLACES - 1)
        assert [await status_of(reader) for reader in unprotected] == [503] * (PLACES - 1)
        writer.write(b"x")
        assert await status_of(protected) == 200

    run(test)


def test_a_body_that_arrived_keeps_the_place() -> None:
    async def test(port: Port) -> None:
        whole = [await port.waiting(half_sent("/works") + b"x") for _ in range(PLACES)]
        assert await port.status() == 503
        port.app.go_on.set()
        assert [await status_of(reader) for reader, _ in whole] == [200] * PLACES

    run(test)


def test_a_released_connection_makes_room_also_when_its_body_arrives_later() -> None:
    async def test(port: Port) -> None:
        reader, writer = await port.waiting(half_sent("/released"))
        working = [await port.waiting(get("/works")) for _ in range(PLACES - 1)]
        writer.write(b"x")
        assert await asyncio.wait_for(port.app.arrived.get(), WAIT_SECONDS) == "/released"
        assert await port.status() == 200
        assert await status_of(reader) == 503
        port.app.go_on.set()
        assert [await status_of(reader) for reader, _ in working] == [200] * (PLACES - 1)

    run(test)


def test_an_answered_request_whose_body_is_discarded_makes_room() -> None:
    async def test(port: Port) -> None:
        drained = [await port.connect(half_sent("/quick")) for _ in range(PLACES)]
        assert [await status_of(reader) for reader, _ in drained] == [200] * PLACES
        assert await port.status() == 200

    run(test)


def test_an_answer_that_is_not_read_makes_room() -> None:
    async def test(port: Port) -> None:
        for _ in range(PLACES):
            reader, _ = await port.connect(get("/huge"))
            assert await status_of(reader) == 200  # and no more is read than fits into the reader
        assert await port.status() == 200

    run(test)
