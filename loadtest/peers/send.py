"""Sends the requests to one side like OTLP clients: over several connections, with retries that OTLP allows."""

import http.client
import time
from collections.abc import Iterable
from contextlib import closing
from typing import Final

from kit.errors import Internal
from loadtest.connections import send_over
from loadtest.peers.connection import Address, Connection

CONNECTIONS: Final = 8
_AGAIN: Final = frozenset(
    {
        http.client.TOO_MANY_REQUESTS,
        http.client.BAD_GATEWAY,
        http.client.SERVICE_UNAVAILABLE,
        http.client.GATEWAY_TIMEOUT,
    }
)
"""HTTP statuses after which the OTLP specification allows a client to retry a request."""
_PAUSE_SECONDS: Final = 0.5
_TRIES: Final = 240


def send_all(address: Address, path: str, requests: Iterable[bytes]) -> int:
    """Sends all requests. Returns the number of retries.

    Raises Internal if a request is refused with another status, or still refused after `_TRIES` tries.
    """
    return send_over(
        CONNECTIONS,
        lambda: closing(Connection(address)),
        requests,
        lambda connection, body: _send(connection, path, body),
    )


def _send(connection: Connection, path: str, body: bytes) -> int:
    for again in range(_TRIES):
        reply = connection.post(path, body, "application/x-protobuf")
        if reply.status in (http.client.OK, http.client.NO_CONTENT):
            return again
        if reply.status not in _AGAIN:
            break
        time.sleep(_PAUSE_SECONDS)
    raise Internal(f"{path} was answered {reply.status}: {reply.body[:500]!r}")
