"""Tests over real connections that clients take turns, and of the moment at which the application starts."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server import turn_taking
from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving
from kit.server.turn_taking import BODY_PIECE, TurnTakingHttp
from kit.server.turns import AT_ONCE

WAIT_SECONDS = 20.0
FLOOD = 10 * AT_ONCE
ATTACKER, OTHER = "127.0.0.2", "127.0.0.3"
CHUNKED = b"POST /read HTTP/1.1\r\nhost: port\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
CHUNK, CHUNKS = b"1\r\na\r\n", 10_000
"""A chunk of one byte, and a number of chunks that fit into the buffers of a connection and into one read."""
SMALL_PIECE = 8 * 2**10
"""Bytes that are parsed in one turn, so few that these chunks take several turns."""


@dataclass
class App:
    """An application that notes when its requests start, and what it reads."""

    started: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    pieces: asyncio.Queue[int] = field(default_factory=asyncio.Queue)
    """Bytes of each piece of a body."""
    addresses: list[str] = field(default_factory=list)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    blocked: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    async def read(self, request: Request) -> Response:
        await self.started.put(request.url.path)
        read = 0
        try:
            async for piece in request.stream():
                read += len(piece)
                await self.pieces.put(len(piece))
        except ClientDisconnect:
            self.disconnected.set()
        return Response(str(read).encode())

    async def note(self, request: Request) -> Response:
        assert request.client is not None
        self.addresses.append(request.client.host)
        return Response(b"noted")

    async def block(self, _request: Request) -> Response:
        """Blocks the event loop until the test continues."""
        self.blocked.set()
        assert self.go_on.wait(WAIT_SECONDS)
        return Response(b"went on")


@dataclass
class Port:
    number: int
    app: App
    opened: AsyncExitStack

    async def connect(self, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.number)
        self.opened.callback(writer.close)
        writer.write(sent)
        return reader, writer


def post(size: int, sent: bytes = b"", *headers: str) -> bytes:
    head = "\r\n".join(["POST /read HTTP/1.1", "host: port", f"content-length: {size}", *headers, "", ""])
    return head.encode() + sent


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: port\r\n\r\n".encode()


@asynccontextmanager
async def served(limits: HttpLimits) -> AsyncIterator[Port]:
    app = App()
    routes = [Route(f"/{name}", getattr(app, name), methods=["GET", "POST"]) for name in ("read", "note", "block")]
    listening = socket.create_server(("127.0.0.1", 0), backlog=4 * FLOOD)
    config = http_config(Starlette(routes=routes), limits, 1)
    async with serving(config, listening) as (_, port), AsyncExitStack() as opened:
        yield Port(port, app, opened)


def run(test: Callable[[Port], Coroutine[None, None, None]], limits: HttpLimits | None = None) -> None:
    async def within() -> None:
        async with served(limits or HttpLimits()) as port:
            await asyncio.wait_for(test(port), WAIT_SECONDS)

    asyncio.run(within())


async def first_line(reader: asyncio.StreamReader) -> bytes:
    return await asyncio.wait_for(reader.readline(), WAIT_SECONDS)


def test_the_application_starts_when_a_small_body_is_complete() -> None:
    async def test(port: Port) -> None:
        reader, writer = await port.connect(post(3, b"a"))
        other, _ = await port.connect(get("/note"))
        assert b"200" in await first_line(other)
        assert port.app.started.empty()
        writer.write(b"bc")
        assert b"200" in await first_line(reader)
        assert port.app.pieces.get_nowait() == 3

    run(test)


def test_the_application_starts_when_the_first_piece_of_a_body_has_arrived() -> None:
    async def test(port: Port) -> None:
        reader, writer = await port.connect(post(BODY_PIECE + 1, bytes(BODY_PIECE - 1)))
        other, _ = await port.connect(get("/note"))
        assert b"200" in await first_line(other)
        assert port.app.started.empty()
        writer.write(b"a")
        await port.app.started.get()
        assert await port.app.pieces.get() == BODY_PIECE
        writer.write(b"a")
        assert b"200" in await first_line(reader)

    run(test)


def test_the_application_starts_at_once_for_a_client_that_waits_for_100_continue() -> None:
    async def test(port: Port) -> None:
        reader, writer = await port.connect(post(1, b"", "expect: 100-continue"))
        assert await first_line(reader) == b"HTTP/1.1 100 Continue\r\n"
        await reader.readline()
        writer.write(b"a")
        assert b"200" in await first_line(reader)

    run(test)


def test_requests_ahead_of_their_answers_are_all_answered() -> None:
    async def test(port: Port) -> None:
        sizes = (1, BODY_PIECE - 1, BODY_PIECE, 3 * BODY_PIECE, 0)
        reader, writer = await port.connect(b"".join(post(size, bytes(size)) for size in sizes[:-1]))
        writer.write(post(sizes[-1], b"", "connection: close"))
        answers = await asyncio.wait_for(reader.read(), WAIT_SECONDS)
        assert [each.rpartition(b"\r\n")[2] for each in answers.split(b"HTTP/1.1 200 OK")[1:]] == [
            str(size).encode() for size in sizes
        ]

    run(test)


@pytest.mark.parametrize(("status", "retries"), [(408, False), (429, True), (503, True)])
def test_a_small_body_that_does_not_arrive_is_answered_without_the_application(status: int, retries: bool) -> None:
    async def test(port: Port) -> None:
        reader, _ = await port.connect(post(3, b"a"))
        answer = await asyncio.wait_for(reader.read(), WAIT_SECONDS)
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert (b"retry-after: 5\r\n" in answer) is retries
        assert port.app.started.empty()

    run(test, HttpLimits(body_seconds=0.2, late_body_status=status))


def test_an_application_in_the_middle_of_a_body_learns_that_the_client_is_gone() -> None:
    async def test(port: Port) -> None:
        _, writer = await port.connect(post(2 * BODY_PIECE, bytes(BODY_PIECE)))
        await port.app.started.get()
        writer.close()
        await asyncio.wait_for(port.app.disconnected.wait(), WAIT_SECONDS)

    run(test)


def test_a_flood_of_one_address_does_not_delay_the_request_of_another_by_all_its_requests() -> None:
    """All requests arrive while the event loop is blocked, so it finds all of them at once."""

    async def test(port: Port) -> None:
        app = port.app
        await port.connect(get("/block"))

        def flood() -> list[socket.socket]:
            assert app.blocked.wait(WAIT_SECONDS)
            sources = [ATTACKER] * FLOOD + [OTHER]
            found = [socket.create_connection(("127.0.0.1", port.number), source_address=(each, 0)) for each in sources]
            for each in found:
                each.sendall(get("/note"))
            app.go_on.set()
            return found

        connections = await asyncio.to_thread(flood)
        while len(app.addresses) < len(connections):
            await asyncio.sleep(0)
        # The connections themselves are accepted in their order.
        assert app.addresses.index(OTHER) < FLOOD
        for each in connections:
            each.close()

    run(test)


def test_open_connections_of_another_address_are_not_delayed_by_a_flood() -> None:
    async def test(port: Port) -> None:
        app = port.app
        sources = [ATTACKER] * FLOOD + [OTHER]

        def flood() -> list[socket.socket]:
            found = [socket.create_connection(("127.0.0.1", port.number), source_address=(each, 0)) for each in sources]
            for each in found:
                each.sendall(get("/note"))
                assert each.recv(1000)
            noted = len(app.addresses)
            assert noted == len(sources)
            app.addresses.clear()
            with socket.create_connection(("127.0.0.1", port.number)) as blocking:
                blocking.sendall(get("/block"))
                assert app.blocked.wait(WAIT_SECONDS)
                for each in found:
                    each.sendall(get("/note"))
                app.go_on.set()
                assert blocking.recv(1000)
            return found

        connections = await asyncio.to_thread(flood)
        while len(app.addresses) < len(connections):
            await asyncio.sleep(0)
        assert app.addresses.index(OTHER) <= 2 * AT_ONCE
        for each in connections:
            each.close()

    run(test)


def test_a_body_of_tiny_chunks_is_parsed_in_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chunks and the request of the other client arrive while the event loop is blocked."""
    parsed: list[tuple[str, int]] = []
    parse = TurnTakingHttp.parse

    def noting(protocol: TurnTakingHttp, data: bytes) -> None:
        parsed.append((protocol.client_name, len(data)))
        parse(protocol, data)

    monkeypatch.setattr(TurnTakingHttp, "parse", noting)
    monkeypatch.setattr(turn_taking, "PARSED_BYTES", SMALL_PIECE)

    async def test(port: Port) -> None:
        def send() -> None:
            with ExitStack() as opened:
                body, other, blocking = (
                    opened.enter_context(
                        socket.create_connection(("127.0.0.1", port.number), WAIT_SECONDS, source_address=(each, 0))
                    )
                    for each in (ATTACKER, OTHER, "127.0.0.1")
                )
                body.sendall(CHUNKED)
                other.sendall(get("/note"))
                assert other.recv(1000), "the port has parsed the head of the body, too"
                parsed.clear()
                blocking.sendall(get("/block"))
                assert port.app.blocked.wait(WAIT_SECONDS)
                body.sendall(CHUNK * CHUNKS)
                other.sendall(get("/note"))
                port.app.go_on.set()
                assert other.recv(1000)
                body.sendall(b"0\r\n\r\n")
                assert body.makefile("rb").read().endswith(b"\r\n\r\n%d" % CHUNKS)

        await asyncio.to_thread(send)
        assert max(size for _, size in parsed) <= SMALL_PIECE
        clients = [client for client, _ in parsed if client != "127.0.0.1"]
        assert clients.index(OTHER) <= 2
        assert clients.count(ATTACKER) > 2

    run(test)
