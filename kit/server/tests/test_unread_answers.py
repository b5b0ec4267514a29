"""Tests over real connections of clients that do not read an answer of less than the transport's buffer."""

import asyncio
import socket

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.config import http_config, limited_http
from kit.server.limits import HttpLimits
from kit.server.protocol import LimitedHttp
from kit.server.tests.serving import serving

WAIT_SECONDS = 20.0
SOCKET_BYTES = 4096
"""Size of the sockets' own buffers, in bytes."""
ANSWER_BYTES = 60_000
"""Bytes of the answer: more than the sockets take, and fewer than those with which the transport stops the
application."""
LIMITS = HttpLimits(head_seconds=0.05, idle_seconds=0.05, stall_seconds=0.05)


async def answer(_request: Request) -> Response:
    return Response(bytes(ANSWER_BYTES))


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
def test_a_connection_whose_last_answer_is_not_read_is_closed(connection: str) -> None:
    async def leave_unread() -> None:
        lost = asyncio.Event()

        class Noting(limited_http(LIMITS)):  # type: ignore[misc]  # a base class that is made here
            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        config = http_config(Starlette(routes=[Route("/", answer)]), LIMITS, 1)
        config.http = Noting
        listening = socket.create_server(("127.0.0.1", 0))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
        async with serving(config, listening) as address:
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BYTES)
                client.setblocking(False)
                loop = asyncio.get_running_loop()
                await loop.sock_connect(client, address)
                request = f"GET / HTTP/1.1\r\nhost: a\r\nconnection: {connection}\r\n\r\n"
                await loop.sock_sendall(client, request.encode())
                async with asyncio.timeout(WAIT_SECONDS):
                    await lost.wait()
            protocol: type[LimitedHttp] = Noting
            assert len(protocol.open_connections) == 0

    asyncio.run(leave_unread())
