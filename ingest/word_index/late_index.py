"""Decides which inserts leave out the index on words, so that merges build it. Builds it where no merge does.

With profile tokenbf, half of the CPU time of an insert is spent on this index, and each merge builds it again. At a
high rate, the parts of an insert are merged within seconds, so the index of these parts is hardly used
(docs/decisions/0047).
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

import structlog
from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import FailingMutations
from ingest.word_index.late_parts import LateParts
from ingest.word_index.parts import LEFT_OUT, RunningBuild, build_index, indexed_tables, running_builds
from kit.clickhouse import connect
from kit.repeating import Repeating
from kit.settings import Settings
from schema.clickhouse.index_profiles import NOT_INSERTED

log = structlog.get_logger()

MIN_ROWS: Final = 4_000
"""Smallest mean number of rows that an insert writes to each of its partitions, if it may leave out the index."""

MAX_PARTS: Final = 200
"""Largest number of active parts of a table whose inserts may leave out the index. A later build of the index makes
hard links for all parts."""

SUSTAINED_SECONDS: Final = 3.0
"""Longest time, in seconds, between two large inserts into a table that count as a high rate."""

IDLE_SECONDS: Final = 3.0
"""Smallest age, in seconds, of the newest part without the index at which the loop builds the index instead of waiting
for a merge."""

AGAIN_SECONDS: Final = 600.0
"""Seconds from the end of a build that failed again and again until the next one of its table."""

_LOOP_SECONDS: Final = 1.0
_TABLES_SECONDS: Final = 30.0
_BUILD_SECONDS: Final = 600.0

Table = tuple[int, str]
"""Shard and name of a log table."""


class LateIndex(Repeating):
    """Background loop of a loader that builds missing indexes. Its first run examines all tables, because a killed
    loader may have left parts without the index."""

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
        self._parts: dict[Table, LateParts] = {}
        self._failing: dict[Table, FailingMutations] = {}
        self._resumed_at: dict[Table, float] = {}

    @contextmanager
    def insert(self, shard: int, table: str, rows: int, partitions: int) -> Iterator[Mapping[str, str]]:
        """Yields additional settings for an insert of `rows` rows into `partitions` partitions. They are empty if the
        insert must build the index. The insert runs in the block. Any thread may call this."""
        if not self._is_late((shard, table), rows, partitions):
            yield {}
            return
        try:
            yield {NOT_INSERTED: LEFT_OUT}
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
                pending = sorted(each for each in self._pending if now >= self._resumed_at.get(each, now))
            for shard, table in pending:
                self._build(client(shard), shard, table)

    def _end_failing(self, client: Client, table: Table, builds: list[RunningBuild]) -> None:
        """Ends builds that fail again and again. The next build begins AGAIN_SECONDS later."""
        failing = {(table[1], each.mutation): each for each in builds if each.failure}
        times = {key: each.failed_at for key, each in failing.items()}
        for key in self._failing.setdefault(table, FailingMutations()).end(client, times):
            self._resumed_at[table] = self._monotonic() + AGAIN_SECONDS
            log.warning(
                "build of the index on words ended, because it failed again and again",
                table=table[1],
                error=failing[key].failure.split("\n")[0],
            )

    def _needs_tables(self, now: float) -> bool:
        """Returns whether to read the tables now: in the first run, and every _TABLES_SECONDS while large inserts
        arrive."""
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
            # Tables whose profile was changed meanwhile do not have the index any more.
            self._pending &= parts.keys()
            self._allowed = allowed

    def _build(self, client: Client, shard: int, table: str) -> None:
        with self._lock:
            self._pending.discard((shard, table))
        is_left = True
        try:
            is_left = self._start_builds(client, (shard, table))
        finally:
            # After an error, the next run tries again.
            if is_left:
                with self._lock:
                    self._pending.add((shard, table))

    def _start_builds(self, client: Client, table: Table) -> bool:
        """Starts the builds that are due. Returns whether the next run must examine the table again."""
        _, name = table
        if builds := running_builds(client, name):
            self._end_failing(client, table, builds)
            return True
        # An insert may have fewer rows in a partition than its mean number of rows for each partition.
        parts = self._parts.setdefault(table, LateParts())
        idle, are_more = parts.find(client, name, self._min_rows // 4, self._idle_seconds)
        for partition in idle:
            build_index(client, name, partition)
        # The next run finds out whether the builds that were started have ended.
        return bool(idle) or are_more
