"""Decides which inserts leave out the index on words, so that merges build it. Builds it where no merge does.

With profile tokenbf, half of the CPU time of an insert is spent on this index, and each merge builds it again. At a
high rate, the parts of an insert are merged within seconds, so the index of these parts is hardly used
(docs/decisions/0047).
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.each_partition import each_partition
from ingest.failing_mutations import FailingMutations
from ingest.first_failure import FirstFailure
from ingest.word_index.late_parts import Ages, LateParts
from ingest.word_index.parts import LEFT_OUT, RunningBuild, active_parts, build_index, indexed_tables, running_builds
from kit.clickhouse import connect, translate
from kit.repeating import Repeating
from kit.settings import Settings
from schema.clickhouse.index_profiles import NOT_INSERTED

log = structlog.get_logger()

MIN_ROWS: Final = 4_000
"""Smallest mean number of rows that an insert writes to each of its partitions, if it may leave out the index."""

MAX_PARTS: Final = 200
"""Largest number of active parts of a table whose inserts may leave out the index, and in which the loop builds it. A
build makes hard links for all parts."""

SUSTAINED_SECONDS: Final = 3.0
"""Longest time, in seconds, between two large inserts into a table that count as a high rate."""

IDLE_SECONDS: Final = 3.0
"""Smallest age, in seconds, of the newest part without the index at which the loop builds the index instead of waiting
for a merge."""

AGAIN_SECONDS: Final = 600.0
"""Seconds from the end of a build that failed again and again until the next one of its table."""

_LOOP_SECONDS: Final = 1.0
_TABLES_SECONDS: Final = 30.0
"""Seconds between two readings of the tables while large inserts arrive, and until the next look at a table that has
too many parts for a build."""

_BUILD_SECONDS: Final = 600.0

Table = tuple[int, str]
"""Shard and name of a log table."""


class LateIndex(Repeating):
    """Background loop of a loader that builds missing indexes. Its first run examines all tables, because a killed
    loader may have left parts without the index. If a shard does not answer, or ClickHouse refuses a statement for one
    table, a run continues with the others.

    `_pending` has the tables to examine, each with the monotonic time until which inserts may have left out the index.
    A part that was inserted later has the index. `_outdated` has the shards whose tables must be read again.
    `_resumed_at` has the monotonic times before which tables are not examined, because they have too many parts or
    because builds failed again and again.
    """

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
        self._read_at: dict[int, float] = {}
        self._large_at: dict[Table, float] = {}
        self._pending: dict[Table, float] = {}
        self._outdated: set[int] = set()
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
        # ClickHouse may still complete an insert that failed here.
        remaining = self._settings.insert_max_seconds
        try:
            yield {NOT_INSERTED: LEFT_OUT}
            remaining = 0.0
        finally:
            self._add_pending((shard, table), self._monotonic() + remaining)

    def _add_pending(self, table: Table, until: float) -> None:
        with self._lock:
            self._pending[table] = max(until, self._pending.get(table, until))

    def _is_late(self, table: Table, rows: int, partitions: int) -> bool:
        if rows < self._min_rows * partitions:
            return False
        now = self._monotonic()
        with self._lock:
            last = self._large_at.get(table)
            self._large_at[table] = now
            return table in self._allowed and last is not None and now - last <= SUSTAINED_SECONDS

    def run_once(self) -> None:
        failures = FirstFailure()
        for shard in range(self._settings.shards):
            with failures.kept(shard):
                self._examine(shard)
        failures.raise_kept()

    def _examine(self, shard: int) -> None:
        now = self._monotonic()
        needs_tables = self._needs_tables(shard, now)
        if not needs_tables and not self._due(shard, now):
            return
        with connect(self._settings, shard=shard, receive_seconds=_BUILD_SECONDS) as client:
            if needs_tables:
                try:
                    self._read_tables(client, shard, now)
                except Error as error:
                    raise translate(error) from error
            each_partition(self._due(shard, now), lambda table: self._build(client, shard, table))

    def _due(self, shard: int, now: float) -> list[str]:
        """Returns the tables of the shard in which a build may be due."""
        with self._lock:
            return sorted(
                each[1] for each in self._pending if each[0] == shard and now >= self._resumed_at.get(each, now)
            )

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

    def _needs_tables(self, shard: int, now: float) -> bool:
        """Returns whether to read the shard's tables now: in the first run, after a table could not be examined, and
        every _TABLES_SECONDS while large inserts arrive."""
        if (read_at := self._read_at.get(shard)) is None or shard in self._outdated:
            return True
        with self._lock:
            last = max((at for each, at in self._large_at.items() if each[0] == shard), default=read_at)
        return now - read_at > _TABLES_SECONDS and last > read_at

    def _read_tables(self, client: Client, shard: int, now: float) -> None:
        parts = {(shard, table): count for table, count in indexed_tables(client).items()}
        allowed = {table for table, count in parts.items() if count <= MAX_PARTS}
        # ClickHouse may still complete an insert of a loader that was killed.
        until = now + self._settings.insert_max_seconds
        with self._lock:
            if shard not in self._read_at:
                self._pending |= {each: max(until, self._pending.get(each, until)) for each in parts}
            # Tables whose profile was changed meanwhile do not have the index any more.
            self._pending = {each: until for each, until in self._pending.items() if each[0] != shard or each in parts}
            self._allowed = frozenset({each for each in self._allowed if each[0] != shard} | allowed)
        self._read_at[shard] = now
        self._outdated.discard(shard)

    def _build(self, client: Client, shard: int, table: str) -> None:
        with self._lock:
            until = self._pending.pop((shard, table))
        try:
            is_left = self._start_builds(client, (shard, table), until)
        except Exception:
            # The next run tries again, unless the table has lost the index.
            self._outdated.add(shard)
            self._add_pending((shard, table), until)
            raise
        if is_left:
            self._add_pending((shard, table), until)

    def _start_builds(self, client: Client, table: Table, until: float) -> bool:
        """Starts the builds that are due in parts inserted before the monotonic time `until`. Returns whether the next
        run must examine the table again."""
        _, name = table
        if builds := running_builds(client, name):
            self._end_failing(client, table, builds)
            return True
        if active_parts(client, name) > MAX_PARTS:
            self._resumed_at[table] = self._monotonic() + _TABLES_SECONDS
            return True
        # An insert may have fewer rows in a partition than its mean number of rows for each partition.
        parts = self._parts.setdefault(table, LateParts())
        age = math.floor(self._monotonic() - until)
        idle, are_more = parts.find(client, name, self._min_rows // 4, Ages(round(self._idle_seconds), age))
        for partition in idle:
            build_index(client, name, partition)
        # The next run finds out whether the builds that were started have ended. Until then, inserts may add parts.
        return bool(idle) or are_more or self._monotonic() < until
