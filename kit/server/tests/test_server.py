"""A burst of connections or of requests from one address does not come before another address's only one."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

import uvloop
from starlette.types import Receive, Scope, Send

from kit.server.config import http_config
from kit.server.connections import AddressLimit
from kit.server.limits import HttpLimits
from kit.server.server import HttpServer

MANY = 300
FIRST = 150
"""More than are begun before it is the other address's turn, fewer than all."""
GET = b"GET / HTTP/1.1\r\nhost: door\r\n\r\n"
BURST, OTHER = "127.0.0.2", "127.0.0.1"
SECONDS = 240.0
"""Bound of every wait, also of the server's: on a busy machine nothing shall be late."""
LIMITS = HttpLimits(head_seconds=SECONDS, body_seconds=SECONDS, idle_seconds=SECONDS)

Attack = Callable[[ExitStack, tuple[str, int]], Awaitable[None]]


def connected(address: tuple[str, int], source: str) -> socket.socket:
    return socket.create_connection(address, timeout=SECONDS, source_address=(source, 0))


@asynccontextmanager
async def serving(listener: socket.socket, limits: HttpLimits, asked: list[str]) -> AsyncIterator[None]:
    """Notes which client each request is of."""

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        asked.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    server = HttpServer(http_config(app, limits, 1))
    running = asyncio.create_task(server.serve([listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await running


def order(attack: Attack, limits: HttpLimits, requests: int) -> list[str]:
    """Returns the clients in the order in which so many requests, with those of the attack, were answered."""
    asked: list[str] = []

    async def run() -> None:
        with socket.create_server((OTHER, 0), backlog=1024) as listener, ExitStack() as clients:
            address = listener.getsockname()[:2]
            async with serving(listener, limits, asked), asyncio.timeout(SECONDS):
                await attack(clients, address)
                while len(asked) < requests:
                    await asyncio.sleep(0.001)

    uvloop.run(run())
    return asked


def test_a_burst_of_connections_is_begun_in_turn_with_others() -> None:
    async def attack(clients: ExitStack, address: tuple[str, int]) -> None:
        # The loop does not run meanwhile: all wait in the kernel, the other one behind them.
        for source in [BURST] * MANY + [OTHER]:
            clients.enter_context(connected(address, source)).sendall(GET)

    assert order(attack, LIMITS, MANY + 1).index(OTHER) < FIRST


def test_a_burst_of_requests_is_begun_in_turn_with_others() -> None:
    async def attack(clients: ExitStack, address: tuple[str, int]) -> None:
        opened = [clients.enter_context(connected(address, source)) for source in [BURST] * MANY + [OTHER]]
        # Each is answered once, so that all are connections of the event loop.
        await asyncio.to_thread(answered, opened)
        for each in opened:
            each.sendall(GET)

    found = order(attack, LIMITS, 2 * (MANY + 1))

    assert found[MANY + 1 :].index(OTHER) < FIRST


def answered(opened: list[socket.socket]) -> None:
    for each in opened:
        each.sendall(GET)
        assert each.recv(1000).startswith(b"HTTP/1.1 200")


def test_connections_over_the_limit_of_their_address_are_told_so() -> None:
    answers: list[bytes] = []

    async def attack(clients: ExitStack, address: tuple[str, int]) -> None:
        opened = [clients.enter_context(connected(address, BURST)) for _ in range(3)]
        for each in opened:
            each.sendall(GET)
        answers.extend(await asyncio.to_thread(lambda: [each.recv(1000) for each in opened]))
        await asyncio.to_thread(answered, [clients.enter_context(connected(address, OTHER)) for _ in range(3)])

    assert order(attack, replace(LIMITS, per_address=AddressLimit(2, (OTHER,))), 5).count(OTHER) == 3

    assert [each.split()[1] for each in answers] == [b"200", b"200", b"503"]
    assert b"retry-after" in answers[2]
