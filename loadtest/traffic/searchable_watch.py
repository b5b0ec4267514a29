"""Measures when acknowledged records become searchable.

Queries ClickHouse instead of the REST API, because these queries are cheap enough to run several times per second. The
REST API reads the same tables without a cache. All records of a request share one timestamp, which no other request of
the tenant has, and become visible together. A query for timestamps is therefore enough.
"""

import threading
import time
from collections.abc import Sequence
from math import inf

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clock import Clock
from loadtest.background import Background
from loadtest.traffic.scheduled_exports import Answered
from schema.clickhouse.tables import table_name


class SearchableWatch(Background):
    """Polls ClickHouse within the block. No other thread may use the clients meanwhile.

    A measured delay is longer than the real one by at most `resolution`. With `tolerant`, a query that ClickHouse
    refuses is repeated at the next poll; without it, the error ends the polling.
    """

    def __init__(
        self, shards: Sequence[Client], clock: Clock, poll_seconds: float = 0.1, *, tolerant: bool = False
    ) -> None:
        super().__init__("searchable")
        self.delays: list[tuple[Answered, float]] = []
        """Acknowledged requests, each with the seconds until it was searchable; infinite if it was not in time."""
        self.resolution = 0.0
        """Longest time between two polls, in seconds."""
        self._shards = shards
        self._clock = clock
        self._poll_seconds = poll_seconds
        self._tolerant = tolerant
        self._waiting: dict[tuple[int, int], Answered] = {}
        self._lock = threading.Lock()

    def acknowledged(self, answer: Answered) -> None:
        with self._lock:
            self._waiting[answer.sender.tenant_id, answer.time_ns] = answer

    def finish(self, seconds: float) -> None:
        """Waits at most `seconds` until all acknowledged requests were found, then ends the polling.

        Raises the error that ended the polling early, if any.
        """
        deadline = self._clock.monotonic() + seconds
        while self._waiting and self._clock.monotonic() < deadline:
            self.check()
            time.sleep(self._poll_seconds)
        self.__exit__()
        self.delays += [(answer, inf) for answer in self._waiting.values()]

    def work(self) -> None:
        polled = self._clock.monotonic()
        while not self.stopping.wait(self._poll_seconds):
            for shard in self._shards:
                try:
                    self._poll(shard)
                except Error:
                    if not self._tolerant:
                        raise
            now = self._clock.monotonic()
            self.resolution, polled = max(self.resolution, now - polled), now

    def _poll(self, client: Client) -> None:
        with self._lock:
            waiting = list(self._waiting.values())
        for lane in {each.sender.lane for each in waiting}:
            answers = [each for each in waiting if each.sender.lane == lane]
            rows = client.query(
                f"SELECT DISTINCT tenant_id, toUnixTimestamp64Nano(timestamp) FROM {table_name(lane)}"
                " WHERE tenant_id IN {tenants:Array(UInt32)} AND timestamp >= fromUnixTimestamp64Nano({oldest:Int64})",
                parameters={
                    "tenants": sorted({each.sender.tenant_id for each in answers}),
                    "oldest": min(each.time_ns for each in answers),
                },
            ).result_rows
            self._seen([(int(tenant_id), int(time_ns)) for tenant_id, time_ns in rows])

    def _seen(self, found: Sequence[tuple[int, int]]) -> None:
        now = self._clock.monotonic()
        with self._lock:
            for key in found:
                answer = self._waiting.pop(key, None)
                if answer is not None:
                    # A record can be searchable before the sending thread reads the acknowledgement.
                    self.delays.append((answer, max(0.0, now - answer.at)))
