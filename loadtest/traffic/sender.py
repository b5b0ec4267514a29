"""Sends prepared requests as fast as the receiver answers."""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadtest.corpus.records import RecordSource, Shape, export_request
from loadtest.traffic.connections import send_over
from loadtest.traffic.otlp_http import HttpConnection

REQUEST_RECORDS = 512
"""Records of a request: the default batch size of OpenTelemetry SDKs."""

CONNECTIONS = 8
PODS = 8
POOL_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Extent:
    """Amount to send: a number of requests, a time in seconds, or whichever ends first if both are given."""

    requests: int | None
    seconds: float | None


def prepare_requests(shape: Shape, seed: int, extent: Extent, now_ns: int) -> list[bytes]:
    """Returns encoded requests of REQUEST_RECORDS records each, with at most POOL_BYTES of records in all.

    The first request has the time `now_ns`; each further one is a millisecond later.
    """
    count = max(1, POOL_BYTES // (shape.size * REQUEST_RECORDS))
    if extent.requests is not None:
        count = min(count, extent.requests)
    source = RecordSource(shape, seed)
    return [
        export_request(source.take(REQUEST_RECORDS, now_ns + number * 1_000_000), number % PODS)
        for number in range(count)
    ]


def send_all(address: tuple[str, int], ingest_key: str, requests: Sequence[bytes], extent: Extent) -> int:
    """Sends requests over CONNECTIONS connections until the extent is reached. Returns how many were sent.

    Each connection waits for the answer to its request. Raises Unavailable if a request is not acknowledged.
    """

    def send(connection: HttpConnection, body: bytes) -> int:
        connection.must_export(body)
        return 1

    return send_over(CONNECTIONS, lambda: HttpConnection(address, ingest_key), _repeated(requests, extent), send)


def _repeated(requests: Sequence[bytes], extent: Extent) -> Iterator[bytes]:
    """Yields the requests repeatedly until the extent is reached."""
    deadline = None if extent.seconds is None else time.monotonic() + extent.seconds
    for body in itertools.islice(itertools.cycle(requests), extent.requests):
        if deadline is not None and time.monotonic() >= deadline:
            return
        yield body
