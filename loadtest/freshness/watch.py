"""When acknowledged records become searchable.

Asked of ClickHouse, not of the REST API, which reads the same tables and keeps no copy: the question then costs the
machine little enough to be asked ten times a second. All records of a request have one timestamp of its own and
become visible together, so the question is which timestamps are there.
"""

import threading
import time
from collections.abc import Sequence
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from loadtest.freshness.open_loop import Answered
from schema.clickhouse.tables import table_name

POLL_SECONDS: Final = 0.1


class FreshnessWatch:
    """Polls in a thread of its own from `start` to `stop`.

    What it finds was visible when the answer came, so each delay is too long by at most one poll: `resolution`.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.delays: list[float] = []
        """One for each record, in seconds; a request's records share theirs."""
        self.resolution = 0.0
        """The longest time between two answers of ClickHouse, in seconds."""
        self._settings = settings
        self._clock = clock
        self._waiting: dict[tuple[int, int], Answered] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="freshness", daemon=True)

    def acknowledged(self, answer: Answered) -> None:
        with self._lock:
            self._waiting[answer.sender.tenant_id, answer.time_ns] = answer

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Waits until everything acknowledged was seen. Raises Unavailable when it was not by then."""
        deadline = self._clock.monotonic() + seconds
        while (left := self._left()) and self._failure is None and self._clock.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        self._stopping.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        if left:
            raise Unavailable(f"{left} acknowledged requests are not searchable after {seconds:g} s")

    def _run(self) -> None:
        try:
            with connect_shards(self._settings) as shards:
                asked = self._clock.monotonic()
                while not self._stopping.wait(POLL_SECONDS):
                    for shard in shards:
                        self._poll(shard)
                    now = self._clock.monotonic()
                    self.resolution, asked = max(self.resolution, now - asked), now
        except Exception as error:  # raised again by `stop`, where somebody listens
            self._failure = error

    def _poll(self, client: Client) -> None:
        with self._lock:
            waiting = list(self._waiting.values())
        lanes: dict[int, list[Answered]] = {}
        for answer in waiting:
            lanes.setdefault(answer.sender.lane, []).append(answer)
        for lane, answers in lanes.items():
            rows = client.query(
                f"SELECT DISTINCT tenant_id, toUnixTimestamp64Nano(timestamp) FROM {table_name(lane)}"
                " WHERE tenant_id IN {tenants:Array(UInt32)} AND timestamp >= fromUnixTimestamp64Nano({oldest:Int64})",
                parameters={
                    "tenants": sorted({each.sender.tenant_id for each in answers}),
                    "oldest": min(each.time_ns for each in answers),
                },
            ).result_rows
            self._seen(rows)

    def _seen(self, rows: Sequence[Sequence[int]]) -> None:
        now = self._clock.monotonic()
        with self._lock:
            for tenant_id, time_ns in rows:
                answer = self._waiting.pop((tenant_id, time_ns), None)
                if answer is not None:
                    # ClickHouse may have it before the sending thread has heard that Kafka does.
                    self.delays += [max(0.0, now - answer.at)] * answer.records

    def _left(self) -> int:
        with self._lock:
            return len(self._waiting)
