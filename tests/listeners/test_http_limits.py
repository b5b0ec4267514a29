"""Tests of the limits of both HTTP ports for clients without a key, and of the answers to them."""

import asyncio
import http.client
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from loadtest.hostile import attacks_http as attacks
from loadtest.hostile.attacks_http import Listener, Sent
from tests.listeners import served
from tests.listeners.attacks import ENDLESS, endless_trailer, many_headers, silent, status_of

MEBIBYTE = 2**20
HEAD_BYTES = 64 * 1024
TAKEN_BYTES = 24 * MEBIBYTE
"""Largest number of bytes that an attacker can send: those in socket buffers, and those discarded after the answer."""

WAIT_SECONDS = 60.0
LIMITS = {"HTTP_HEAD_SECONDS": "1", "HTTP_BODY_SECONDS": "1", "HTTP_IDLE_SECONDS": "1"}
KNOWN = ("authorization: Bearer key-for-ingest", "content-type: application/json")
PATHS = {"receiver": "/v1/logs", "api": "/api/v1/admin/tenants"}
LATE_BODY = {"receiver": 429, "api": 408}
"""Statuses of requests whose bodies arrive too slowly. OTLP exporters send a request again after 429, not after 408."""


@pytest.fixture(scope="module")
def listeners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Listener]]:
    folder = tmp_path_factory.mktemp("listeners")
    with (
        served.receiver(folder / "receiver.log", LIMITS) as receiver,
        served.api(folder / "home", folder / "api.log", LIMITS) as api,
    ):
        yield {
            "receiver": served.http_listener(receiver, receiver.otlp_http_port),
            "api": served.http_listener(api, api.api_port),
        }


@pytest.fixture(params=PATHS)
def name(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


@pytest.fixture
def listener(listeners: dict[str, Listener], name: str) -> Listener:
    return listeners[name]


@pytest.fixture
def path(name: str) -> str:
    return PATHS[name]


@pytest.mark.parametrize(
    ("attack", "status", "limit"),
    [
        (attacks.endless_header, 431, f"{HEAD_BYTES} bytes"),
        (many_headers, 431, "200 headers"),
        (attacks.endless_request_line, 414, f"{HEAD_BYTES} bytes"),
    ],
)
def test_an_endless_head_is_refused(
    listener: Listener, attack: Callable[[Listener], Coroutine[Any, Any, Sent]], status: int, limit: str
) -> None:
    sent = asyncio.run(attack(listener))

    assert sent.status == status, sent
    assert limit.encode() in sent.answer
    assert sent.closed
    assert asyncio.run(status_of(listener)) == 200


def test_a_head_just_within_the_limit_is_answered(listener: Listener) -> None:
    whole = attacks.get("/healthz", "x-large: " + "a" * (HEAD_BYTES - 100))
    beyond = attacks.get("/healthz", "x-large: " + "a" * HEAD_BYTES)

    assert asyncio.run(status_of(listener, whole)) == 200
    assert asyncio.run(status_of(listener, beyond)) == 431


def test_a_body_without_a_key_is_answered_and_not_read(listener: Listener, path: str) -> None:
    sent = asyncio.run(attacks.endless_body(listener, path, limit=400 * MEBIBYTE))

    assert sent.status == 401
    assert sent.closed
    assert sent.size < TAKEN_BYTES


@pytest.mark.parametrize("more", [ENDLESS, b"a" * 1000 + b"\r\nx-long: "], ids=["one", "many"])
def test_an_endless_trailer_of_a_known_key_is_refused(listeners: dict[str, Listener], more: bytes) -> None:
    """Tests one trailer without an end, and trailers that are too large only together."""
    sent = asyncio.run(endless_trailer(listeners["receiver"], "/v1/logs", *KNOWN, more=more))

    assert sent.status == 431
    assert f"{HEAD_BYTES} bytes".encode() in sent.answer
    assert sent.closed
    assert sent.size < TAKEN_BYTES


def test_an_endless_trailer_without_a_key_ends(listener: Listener, path: str) -> None:
    sent = asyncio.run(endless_trailer(listener, path))

    # The trailer may exceed its limit before the application has refused the request.
    assert sent.status in (401, 431)
    assert sent.closed
    assert sent.size < TAKEN_BYTES


def test_a_client_that_sends_its_whole_body_first_reads_the_answer(listener: Listener, path: str) -> None:
    """Tests a client that reads the answer only after its whole body, like Python's. A reset would hide the answer."""
    client = http.client.HTTPConnection(listener.host, listener.port, timeout=WAIT_SECONDS)
    client.request("POST", path, b"x" * (8 * MEBIBYTE))
    answer = client.getresponse()

    assert answer.status == 401
    assert answer.getheader("connection") == "close"
    assert b"Bearer" in answer.read()


def test_half_sent_requests_are_closed(listener: Listener) -> None:
    held = asyncio.run(attacks.half_sent(listener, 200, WAIT_SECONDS))

    assert held.left == 0
    assert held.statuses == Counter({408: 200})


def test_connections_that_never_say_anything_are_closed(listener: Listener) -> None:
    assert asyncio.run(silent(listener, 20, WAIT_SECONDS)).left == 0


def test_headers_and_bodies_that_come_byte_by_byte_are_closed(listener: Listener, path: str, name: str) -> None:
    async def both() -> tuple[attacks.Held, attacks.Held]:
        return await asyncio.gather(
            attacks.slow_headers(listener, 20, WAIT_SECONDS, pause=0.2),
            attacks.slow_body(listener, path, 20, WAIT_SECONDS, pause=0.2),
        )

    heads, bodies = asyncio.run(both())

    assert (heads.left, heads.statuses) == (0, Counter({408: 20}))
    assert (bodies.left, bodies.statuses) == (0, Counter({LATE_BODY[name]: 20}))


def test_idle_connections_are_closed(listener: Listener) -> None:
    held = asyncio.run(attacks.idle(listener, 20, WAIT_SECONDS))

    assert (held.left, held.statuses) == (0, Counter({200: 20}))


def test_a_body_of_a_known_key_has_a_time_too(listeners: dict[str, Listener]) -> None:
    """Tests that a body which arrives too slowly is refused with 429 even if the key is valid."""
    held = asyncio.run(attacks.slow_body(listeners["receiver"], "/v1/logs", 10, WAIT_SECONDS, *KNOWN, pause=0.2))

    assert (held.left, held.statuses) == (0, Counter({429: 10}))
