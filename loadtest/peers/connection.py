"""HTTP connection to a side of the comparison, which stays open between requests."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass, field
from select import select
from typing import Final
from urllib.parse import urlencode

from kit.errors import Internal, Unavailable

_SECONDS: Final = 600.0
"""Longest wait for an answer, in seconds. The slowest side needs minutes for a count over many records."""


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port of a server, and the headers of each request to it."""

    host: str
    port: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """HTTP status and body of an answer."""

    status: int
    body: bytes


class Connection:
    """An HTTP connection that is opened again after a failure. For one thread."""

    def __init__(self, address: Address) -> None:
        self._headers = dict(address.headers)
        self._http = http.client.HTTPConnection(address.host, address.port, timeout=_SECONDS)

    def close(self) -> None:
        self._http.close()

    def post(self, path: str, body: bytes, content_type: str) -> Reply:
        """Sends a request and reads the answer to its last byte. Raises Unavailable without a complete answer."""
        return self._reply("POST", path, body, {"content-type": content_type})

    def get(self, path: str, parameters: Mapping[str, str | int] | None = None) -> bytes:
        """Returns the body of an answer with status 200.

        Raises Internal for any other status, Unavailable without a complete answer.
        """
        shown = f"{path}?{urlencode(parameters)}" if parameters else path
        reply = self._reply("GET", shown, None, {})
        if reply.status != http.client.OK:
            raise Internal(f"{shown} was answered {reply.status}: {reply.body[:500].decode(errors='replace')}")
        return reply.body

    def _reply(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        # A server may have closed the connection, because it was idle while other sides were measured.
        if self._http.sock is not None and select([self._http.sock], [], [], 0)[0]:
            self._http.close()
        try:
            self._http.request(method, path, body, {**self._headers, **headers})
            answer = self._http.getresponse()
            return Reply(answer.status, answer.read())
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise Unavailable(f"{path} was not answered: {error!r}") from error


def metrics(connection: Connection) -> dict[str, float]:
    """Returns the Prometheus metrics of a server: values by the text of name and labels on the page."""
    lines = connection.get("/metrics").decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {series: float(value) for series, _, value in pairs}


def total(series: Mapping[str, float], beginning: str) -> float:
    """Returns the sum of all series whose name and labels begin with `beginning`."""
    return sum(value for name, value in series.items() if name.startswith(beginning))
