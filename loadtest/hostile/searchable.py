"""When victims' acknowledged requests become searchable, asked of ClickHouse as `loadtest freshness` does.

Unlike there, ClickHouse may refuse the question while it is attacked, and a request may stay away for too long: then
its delay is infinite, and the study goes on.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clock import Clock
from loadtest.hostile.victim import Acknowledged
from schema.clickhouse.tables import table_name

POLL_SECONDS: Final = 0.2
"""Seconds between two questions. Each delay may be too long by as much."""


class SearchableWatch:
    """Polls in a thread of its own from `start` to `stop`, and nobody else uses the clients meanwhile.

    `lanes` says which lane each victim's records are in, by tenant id.
    """

    def __init__(self, shards: Sequence[Client], lanes: Mapping[int, int], clock: Clock) -> None:
        self.delays: dict[int, list[float]] = {tenant_id: [] for tenant_id in lanes}
        """Seconds for each acknowledged request, by tenant id."""
        self._shards = shards
        self._lanes = lanes
        self._clock = clock
        self._waiting: dict[tuple[int, int], Acknowledged] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="searchable", daemon=True)

    def acknowledged(self, request: Acknowledged) -> None:
        with self._lock:
            self._waiting[request.tenant_id, request.time_ns] = request

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Waits until all were seen, so long at most; those that were not have an infinite delay."""
        deadline = self._clock.monotonic() + seconds
        while self._left() and self._clock.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        self._stopping.set()
        self._thread.join()
        for request in self._waiting.values():
            self.delays[request.tenant_id].append(inf)

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            for shard in self._shards:
                try:
                    self._poll(shard)
                except Error:
                    continue  # the next poll asks again, and the delay counts

    def _poll(self, client: Client) -> None:
        with self._lock:
            waiting = list(self._waiting.values())
        for lane in {self._lanes[each.tenant_id] for each in waiting}:
            requests = [each for each in waiting if self._lanes[each.tenant_id] == lane]
            rows = client.query(
                f"SELECT DISTINCT tenant_id, toUnixTimestamp64Nano(timestamp) FROM {table_name(lane)}"
                " WHERE tenant_id IN {tenants:Array(UInt32)} AND timestamp >= fromUnixTimestamp64Nano({oldest:Int64})",
                parameters={
                    "tenants": sorted({each.tenant_id for each in requests}),
                    "oldest": min(each.time_ns for each in requests),
                },
            ).result_rows
            self._seen([(int(tenant_id), int(time_ns)) for tenant_id, time_ns in rows])

    def _seen(self, found: list[tuple[int, int]]) -> None:
        now = self._clock.monotonic()
        with self._lock:
            for key in found:
                request = self._waiting.pop(key, None)
                if request is not None:
                    # ClickHouse may have it before the sending thread has heard that Kafka does.
                    self.delays[request.tenant_id].append(max(0.0, now - request.at))

    def _left(self) -> int:
        with self._lock:
            return len(self._waiting)
