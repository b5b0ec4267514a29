"""Tests of the gRPC port's limits for clients without a key, and of both ports' limits on connections per address."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from loadtest.hostile import attacks_grpc, attacks_http
from loadtest.hostile.attacks_http import Held, Listener
from tests.listeners import served
from tests.listeners.attacks import greeted, half_sent_headers, silent, status_of

PER_ADDRESS = 20
WAIT_SECONDS = 60.0
OTHER_ADDRESS = "127.0.0.2"


@pytest.fixture(scope="module")
def listeners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Listener, Listener]]:
    """Yields the gRPC port and the HTTP port."""
    limits = {
        "HTTP_HEAD_SECONDS": "1",
        "HTTP_IDLE_SECONDS": "120",
        "GRPC_IDLE_SECONDS": "3",
        "CONNECTIONS_PER_ADDRESS": str(PER_ADDRESS),
    }
    with served.receiver(tmp_path_factory.mktemp("grpc") / "log", limits) as settings:
        yield (
            served.http_listener(settings, settings.otlp_grpc_port),
            served.http_listener(settings, settings.otlp_http_port),
        )


@pytest.fixture
def listener(listeners: tuple[Listener, Listener]) -> Listener:
    return listeners[0]


def test_connections_without_a_whole_call_are_closed(listener: Listener) -> None:
    """Tests with fewer connections than one address may have, so that only the timeouts close them."""
    count = PER_ADDRESS // 4

    async def all_kinds() -> list[Held]:
        attacks = (silent, attacks_grpc.idle, half_sent_headers)
        return await asyncio.gather(*(attack(listener, count, WAIT_SECONDS) for attack in attacks))

    assert [held.left for held in asyncio.run(all_kinds())] == [0, 0, 0]


def test_endless_pings_end_the_connection(listener: Listener) -> None:
    """Repeats the attack, because on a busy machine gRPC may accept a connection only after many seconds."""
    deadline = time.monotonic() + 2 * WAIT_SECONDS
    while not asyncio.run(attacks_grpc.pings(listener, seconds=5.0)).closed:
        assert time.monotonic() < deadline


def test_one_address_has_its_part_of_the_grpc_port(listener: Listener) -> None:
    """Tests that one address keeps at most PER_ADDRESS connections, while another address is served."""

    async def attacked() -> tuple[Held, bool]:
        held = asyncio.create_task(attacks_http.hold(listener, 3 * PER_ADDRESS, 2.0, attacks_grpc.GREETING, None))
        other = await greeted(replace(listener, source=OTHER_ADDRESS), WAIT_SECONDS)
        return await held, other

    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        held, other = asyncio.run(attacked())
        assert other
        if held.left <= PER_ADDRESS:
            return
        assert time.monotonic() < deadline, held


def test_one_address_has_its_part_of_the_http_port(listeners: tuple[Listener, Listener]) -> None:
    """Tests that further connections of one address get 503, while another address is served."""
    listener = listeners[1]

    async def attacked() -> tuple[Held, int | None]:
        held = asyncio.create_task(attacks_http.idle(listener, 2 * PER_ADDRESS, 2.0))
        other = await status_of(replace(listener, source=OTHER_ADDRESS))
        return await held, other

    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        held, other = asyncio.run(attacked())
        assert other == 200
        if held.left <= PER_ADDRESS and held.statuses[503] > 0:
            return
        # On a busy machine, the port may not have answered all connections yet.
        assert time.monotonic() < deadline, held
