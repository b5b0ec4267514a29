"""Tests over real connections that answers which fail after their beginning keep no connection open."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.types import Receive, Scope, Send

from kit.server import protocol
from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving

WAIT_SECONDS = 20.0
SOCKET_BYTES = 4096
"""Size of the sockets' own buffers, in bytes."""
ANSWER_BYTES = 60_000
"""Bytes of the answer: more than the sockets take, and fewer than those with which the transport stops the
application."""
REQUEST = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


class Failing:
    """Application whose answer to the first request ends after its beginning, with an error or without."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error
        self.requests = 0
        self.failed = asyncio.Event()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.requests += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(ANSWER_BYTES), "more_body": self.requests == 1})
        if self.requests == 1:
            self.failed.set()
            if self._error is not None:
                raise self._error


@contextmanager
def client() -> Iterator[socket.socket]:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BYTES)
        connection.setblocking(False)
        yield connection


def listening() -> socket.socket:
    made = socket.create_server(("127.0.0.1", 0))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
    return made


async def request(connection: socket.socket, address: tuple[str, int]) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, address)
    await loop.sock_sendall(connection, REQUEST)


failures = pytest.mark.parametrize("error", [RuntimeError("bug"), OSError("the client does not read"), None])


@failures
def test_a_failed_answer_that_nobody_reads_is_closed(error: Exception | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "DRAIN_SECONDS", 0.05)

    async def leave_unread() -> None:
        config = http_config(Failing(error), HttpLimits(), 1)
        async with serving(config, listening()) as address:
            with client() as connection:
                await request(connection, address)
                async with asyncio.timeout(WAIT_SECONDS):
                    while not _count(config.http):
                        await asyncio.sleep(0.001)
                    while _count(config.http):
                        await asyncio.sleep(0.001)

    asyncio.run(leave_unread())


@failures
def test_a_full_port_replaces_a_connection_whose_answer_failed(error: Exception | None) -> None:
    async def fill() -> None:
        app = Failing(error)
        async with serving(http_config(app, HttpLimits(connections=1), 1), listening()) as address:
            with client() as failed, client() as next_one:
                await request(failed, address)
                async with asyncio.timeout(WAIT_SECONDS):
                    await app.failed.wait()
                    await request(next_one, address)
                    answer = await asyncio.get_running_loop().sock_recv(next_one, 100)
                assert answer.startswith(b"HTTP/1.1 200 OK\r\n")

    asyncio.run(fill())


def _count(of_port: object) -> int:
    assert isinstance(of_port, type)
    assert issubclass(of_port, protocol.LimitedHttp)
    return len(of_port.open_connections)
