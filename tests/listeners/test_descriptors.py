"""Tests that a process still serves other clients when attackers open more connections than it has descriptors."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from loadtest.hostile import attacks_http as attacks
from loadtest.hostile.attacks_http import Listener
from tests.listeners import served
from tests.listeners.attacks import status_of

FILES = 256
CONNECTIONS = 600
HELD_SECONDS = 40.0
"""Seconds for which connections are held.

The port's own timeouts are longer, so only the lack of descriptors makes it close connections.
"""

WAIT_SECONDS = 30.0


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    folder = tmp_path_factory.mktemp("descriptors")
    patient = {"HTTP_HEAD_SECONDS": "120", "HTTP_IDLE_SECONDS": "120"}
    with served.receiver(folder / "log", patient, files=FILES) as settings:
        yield served.http_listener(settings, settings.otlp_http_port)


@pytest.mark.parametrize("started", [b"", b"GET /healthz HTTP/1.1\r\nx-half: ", attacks.get()])
def test_idle_and_half_sent_requests_lock_nobody_out(listener: Listener, started: bytes) -> None:
    async def attacked() -> int | None:
        held = asyncio.create_task(attacks.half_sent(listener, CONNECTIONS, HELD_SECONDS, started))
        deadline = time.monotonic() + WAIT_SECONDS
        status = None
        while status != 200 and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
            status = await status_of(listener)
        held.cancel()
        return status

    assert asyncio.run(attacked()) == 200
