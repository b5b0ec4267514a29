"""HTTP connections to a side of the comparison: one that stays open for questions, and several that send records."""

import http.client
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from select import select
from typing import Final
from urllib.parse import urlencode

from kit.errors import Internal, Unavailable
from loadtest.traffic.connections import send_over

_SECONDS: Final = 600.0
"""Longest wait for an answer, in seconds. The slowest side needs minutes for a count over many records."""
_SENDING: Final = 8
"""Number of connections that send records at the same time."""
_AGAIN: Final = frozenset({429, 502, 503, 504})
"""HTTP statuses after which the OTLP specification allows a client to retry a request."""
_PAUSE_SECONDS: Final = 0.5
_TRIES: Final = 240


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port of a server, and the headers of each request to it."""

    host: str
    port: int
    headers: Mapping[str, str] = field(default_factory=dict)


class Connection(AbstractContextManager["Connection"]):
    """An HTTP connection that is opened again after a failure. For one thread."""

    def __init__(self, address: Address) -> None:
        self._headers = dict(address.headers)
        self._http = http.client.HTTPConnection(address.host, address.port, timeout=_SECONDS)

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Sends an OTLP request. Returns the HTTP status and the body of the answer.

        Raises Unavailable without a complete answer.
        """
        return self._answer("POST", path, body, {"content-type": "application/x-protobuf"})

    def get(self, path: str, parameters: Mapping[str, str | int] | None = None) -> bytes:
        """Returns the body of an answer with status 200.

        Raises Internal for any other status, Unavailable without a complete answer.
        """
        shown = f"{path}?{urlencode(parameters)}" if parameters else path
        status, body = self._answer("GET", shown, None, {})
        if status != http.client.OK:
            raise Internal(f"{shown} was answered {status}: {body[:500].decode(errors='replace')}")
        return body

    def _answer(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        # A server may have closed the connection, because it was idle while other sides were measured.
        if self._http.sock is not None and select([self._http.sock], [], [], 0)[0]:
            self._http.close()
        try:
            self._http.request(method, path, body, {**self._headers, **headers})
            answer = self._http.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise Unavailable(f"{path} was not answered: {error!r}") from error


def metric_sums(connection: Connection, *beginnings: str) -> list[float]:
    """Returns for each beginning the sum of a server's Prometheus metrics whose name and labels begin with it."""
    lines = connection.get("/metrics").decode().splitlines()
    return [sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(each)) for each in beginnings]


def send_all(address: Address, path: str, requests: Iterable[bytes]) -> int:
    """Sends all requests like OTLP clients. Returns the number of retries.

    Raises Internal if a request is refused with a status that forbids retries, or still refused after `_TRIES` tries.
    """

    def send(connection: Connection, body: bytes) -> int:
        for again in range(_TRIES):
            status, answer = connection.post(path, body)
            if status in (http.client.OK, http.client.NO_CONTENT):
                return again
            if status not in _AGAIN:
                break
            time.sleep(_PAUSE_SECONDS)
        raise Internal(f"{path} was answered {status}: {answer[:500]!r}")

    return send_over(_SENDING, lambda: Connection(address), requests, send)
