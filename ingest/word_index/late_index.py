"""Decides which inserts leave the index on words to merges, and builds it where no merge does.

Half of an insert's CPU time at profile tokenbf is for this index, and each merge builds it anew. At a high rate the
parts of an insert are merged within seconds, so their own index is hardly used (docs/decisions/0047).
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.word_index.parts import EXCLUDE, INDEX, build_index, indexed_tables, late_partitions
from kit.clickhouse import connect
from kit.repeating import Repeating
from kit.settings import Settings

MIN_ROWS: Final = 4_000
"""Smallest number of rows of an insert without the index, for each partition of the table that it writes to."""

MAX_PARTS: Final = 200
"""Largest number of active parts of a table in which the index is built late. A build makes hard links for all of
them."""

SUSTAINED_SECONDS: Final = 3.0
"""Longest time since the table's last large insert, in seconds, at which another one counts as part of a high rate."""

IDLE_SECONDS: Final = 3.0
"""Age in seconds of the newest part without the index at which merges are no longer waited for."""

_LOOP_SECONDS: Final = 1.0
_TABLES_SECONDS: Final = 30.0
_BUILD_SECONDS: Final = 600.0

Table = tuple[int, str]
"""Shard and name of a log table."""


class LateIndex(Repeating):
    """Background loop of a loader. It starts with all tables that may lack the index somewhere, so that a loader that
    was killed leaves no part without it for good."""

    def __init__(
        self,
        settings: Settings,
        min_rows: int = MIN_ROWS,
        idle_seconds: float = IDLE_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("late-index", _LOOP_SECONDS)
        self._settings = settings
        self._min_rows = min_rows
        self._idle_seconds = idle_seconds
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._allowed: frozenset[Table] = frozenset()
        self._read_at: float | None = None
        self._large_at: dict[Table, float] = {}
        self._pending: set[Table] = set()

    @contextmanager
    def insert(self, shard: int, table: str, rows: int, partitions: int) -> Iterator[Mapping[str, str]]:
        """Yields the settings of an insert of `rows` rows into so many partitions: those that leave the index out, or
        none if the insert builds it. The insert runs in the block. For several threads."""
        if not self._is_late((shard, table), rows, partitions):
            yield {}
            return
        try:
            yield {EXCLUDE: INDEX}
        finally:
            with self._lock:
                self._pending.add((shard, table))

    def _is_late(self, table: Table, rows: int, partitions: int) -> bool:
        if rows < self._min_rows * partitions:
            return False
        now = self._monotonic()
        with self._lock:
            last = self._large_at.get(table)
            self._large_at[table] = now
            return table in self._allowed and last is not None and now - last <= SUSTAINED_SECONDS

    def run_once(self) -> None:
        now = self._monotonic()
        with ExitStack() as opened:
            clients: dict[int, Client] = {}

            def client(shard: int) -> Client:
                if shard not in clients:
                    clients[shard] = opened.enter_context(
                        connect(self._settings, shard=shard, receive_seconds=_BUILD_SECONDS)
                    )
                return clients[shard]

            if self._needs_tables(now):
                self._read_tables(client)
                self._read_at = now
            with self._lock:
                pending = sorted(self._pending)
            for shard, table in pending:
                self._build(client(shard), shard, table)

    def _needs_tables(self, now: float) -> bool:
        """Returns whether to read the tables: at first, and every _TABLES_SECONDS while large inserts arrive."""
        if self._read_at is None:
            return True
        with self._lock:
            last = max(self._large_at.values(), default=self._read_at)
        return now - self._read_at > _TABLES_SECONDS and last > self._read_at

    def _read_tables(self, client: Callable[[int], Client]) -> None:
        parts = {
            (shard, table): parts
            for shard in range(self._settings.shards)
            for table, parts in indexed_tables(client(shard)).items()
        }
        allowed = frozenset(table for table, count in parts.items() if count <= MAX_PARTS)
        with self._lock:
            if self._read_at is None:
                self._pending |= allowed
            # A table that got another profile meanwhile has no such index to build.
            self._pending &= parts.keys()
            self._allowed = allowed

    def _build(self, client: Client, shard: int, table: str) -> None:
        with self._lock:
            self._pending.discard((shard, table))
        # Partitions of an insert may have fewer rows than the mean.
        partitions, are_more = late_partitions(client, table, self._min_rows // 4, self._idle_seconds)
        try:
            for partition in partitions:
                build_index(client, table, partition)
        except BaseException:
            are_more = True
            raise
        finally:
            if are_more:
                with self._lock:
                    self._pending.add((shard, table))
