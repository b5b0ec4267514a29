"""Sends records with random timestamps in one time range. Half of them share their timestamp with many others."""

import random
import threading
import time
from collections.abc import Sequence
from typing import Final

from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.traffic.otlp_http import HttpConnection

SHARED_MOMENTS: Final = 200
"""Number of timestamps that half of all records share.

With 100,000 records, each is shared by about 250, which is more than a page of 100.
"""

REQUEST_RECORDS: Final = 100
_AT_ONCE: Final = 1_000
"""Records of each request that `Arrivals.send` sends."""


class Arrivals:
    """Sends one tenant's records, with timestamps from `start_ns` to `start_ns + length_ns`, exclusive.

    Each record is sent exactly once. `sent` counts them.
    """

    def __init__(self, address: tuple[str, int], ingest_key: str, start_ns: int, length_ns: int, seed: int) -> None:
        self._address, self._key = address, ingest_key
        self._start_ns, self._length_ns = start_ns, length_ns
        self._rng = random.Random(seed)
        self._source = RecordSource(SMALL, seed)
        self.sent = 0

    def send(self, count: int) -> None:
        """Sends `count` records as fast as the receiver answers.

        Raises Unavailable if a request is not acknowledged.
        """
        with HttpConnection(self._address, self._key) as connection:
            for first in range(0, count, _AT_ONCE):
                self._send(connection, min(_AT_ONCE, count - first))

    def keep_sending(self, rate: int, stopping: threading.Event) -> None:
        """Sends `rate` records per second on a fixed schedule until `stopping` is set.

        Raises Unavailable if a request is not acknowledged.
        """
        with HttpConnection(self._address, self._key) as connection:
            due = time.monotonic()
            while not stopping.wait(max(0.0, due - time.monotonic())):
                self._send(connection, REQUEST_RECORDS)
                due += REQUEST_RECORDS / rate

    def _send(self, connection: HttpConnection, count: int) -> None:
        records = self._source.take(count, 0)
        for record, time_ns in zip(records, self._times(count), strict=True):
            record.time_unix_nano = record.observed_time_unix_nano = time_ns
        connection.must_export(export_request(records, pod=1))
        self.sent += count

    def _times(self, count: int) -> Sequence[int]:
        step = self._length_ns // SHARED_MOMENTS
        return [
            self._start_ns
            + (self._rng.randrange(SHARED_MOMENTS) * step if index % 2 else self._rng.randrange(self._length_ns))
            for index in range(count)
        ]
