"""Inserts one lane's rows of a batch into ClickHouse: all under one token, or only the missing rows of some messages.

The counts of their fields follow under another token.
"""

import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.client import Client

from ingest.loader.connections import Connection, Connections, query_id, statement_name
from ingest.loader.disk_room import DiskRoom
from ingest.loader.insert_errors import NothingStored, TooExpensive, before_insert
from ingest.loader.insert_sql import (
    KILL,
    RUNNING,
    fields_target,
    insert_settings,
    insert_target,
    none_can_start_after,
    once,
    stored_days,
)
from ingest.loader.lane_parts import BeforeSending, MissingRows
from ingest.storage.measure import Volume, read_volume
from ingest.word_index.late_index import LateIndex
from kit import metrics
from kit.clock import SystemClock
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.clickhouse.fields_rollup import earlier_views, fields_table
from schema.clickhouse.tables import table_name
from schema.otlp import LogMessage, counted_block, native_block
from schema.usage import COLUMNS as USAGE_COLUMNS
from schema.usage import TABLE as USAGE_TABLE
from schema.usage import Usage

RECEIVE_MARGIN_SECONDS: Final = 10.0
"""Seconds that the client waits beyond the server's own time limit, so that the server's answer comes first."""

_USAGE_NAMES = tuple(name for name, _ in USAGE_COLUMNS)
_USAGE_TYPES = tuple(get_from_name(kind) for _, kind in USAGE_COLUMNS)
"""Types passed with every insert, so that the client does not query the server for them each time."""


class Inserter:
    """Inserts for several threads. Every method raises a LogsieveError if ClickHouse did not confirm."""

    def __init__(self, settings: Settings, late_index: LateIndex | None = None) -> None:
        """With `late_index`, inserts may leave out the index on words, which `late_index` then builds."""
        self._max_seconds = settings.insert_max_seconds
        self._connections = Connections(settings, self._max_seconds + RECEIVE_MARGIN_SECONDS)
        self._settings = insert_settings(settings.insert_max_memory, self._max_seconds)
        self._room = DiskRoom(settings, SystemClock(), self._read_volume)
        self._late_index = late_index
        self._without_views: set[int] = set()

    def insert(
        self,
        shard: int,
        lane: int,
        messages: Sequence[LogMessage],
        token: str,
        before_sending: BeforeSending,
    ) -> bytes:
        """Inserts the messages' rows once, even if it is called again with the same shard, messages and token.

        Returns the counts of their fields, for `insert_counts`. Raises TooExpensive if ClickHouse ended the insert at a
        limit. Raises NothingStored if the insert was not sent. Raises another LogsieveError if ClickHouse did not
        confirm; the rows may be stored or not, so call again. Raises what `before_sending` raises.
        """
        with self._ready(shard, lane, messages, token) as ready:
            block, counts = counted_block(messages)
            ready.insert(block, once(token), before_sending)
        return counts

    def insert_counts(self, shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending) -> None:
        """Inserts the counts once, even if it is called again with the same arguments. Raises like `insert`."""
        self._check_room(shard)
        with self._connections.taken(shard, fields_table(lane)) as connection:
            with before_insert():
                target = fields_target(lane, connection.server_time())
            before_sending()
            # The client would send a block of bytes again by itself after a lost connection.
            block = (each for each in (counts,))
            connection.client.raw_insert(
                target, insert_block=block, settings=self._settings | once(token), fmt="Native"
            )

    def insert_missing(
        self, shard: int, lane: int, missing: MissingRows, token: str, before_sending: BeforeSending
    ) -> None:
        """Inserts the missing rows. It is not deduplicated by token.

        Call `stored_days` first to learn which rows are stored. `token` names the statements of the whole range, so
        that `stop` and `check_stopped` find them. Raises like `insert`.
        """
        with self._ready(shard, lane, missing.messages, token) as ready:
            block = native_block(missing.messages)
            ready.insert(block, {"insert_deduplicate": 0}, before_sending, missing.without_days)

    def stored_days(self, shard: int, lane: int, messages: Sequence[LogMessage]) -> dict[int, frozenset[int]]:
        """Returns for each message, by its first record id, the days for which the table has its rows.

        An insert stores either all or none of its rows of a day and a cohort. A message has only one cohort, so the
        table has either all or none of its rows of a day.

        Raises TooExpensive if ClickHouse ended the statement at a limit.
        """
        found: dict[int, set[int]] = {}
        statement = stored_days(lane, messages)
        try:
            with self._connections.taken(shard, table_name(lane)) as connection:
                # Without this limit, the server would continue after the client has closed the connection.
                answer = connection.client.query(statement, settings={"max_execution_time": self._max_seconds})
        except TooExpensive as error:
            limit = "takes too long" if error.in_time else "needs more memory or rows than ClickHouse allows"
            text = f"table {table_name(lane)}: reading which rows are already stored {limit}"
            raise TooExpensive(text, error.own, error.in_time) from error
        for first, day in answer.result_rows:
            found.setdefault(int(first), set()).add(int(day))
        return {first: frozenset(days) for first, days in found.items()}

    def stop(self, shard: int, token: str) -> float:
        """Asks the server to end the statements under the token, and does not wait for their end. Returns the time of
        the server's clock, in Unix seconds, after which no insert that was sent before this call can begin."""
        with self._connections.taken(shard, "system.processes") as connection:
            connection.client.command(KILL, parameters={"name": statement_name(token)})
            [(_, now)] = connection.client.query(RUNNING, {"name": statement_name(token)}).result_rows
        return none_can_start_after(float(now))

    def check_stopped(self, shard: int, token: str, none_starts_after: float | None) -> None:
        """Raises Unavailable while a statement under the token runs or may still begin; call again then.

        `none_starts_after` is the result of `stop`; None if all statements were answered.
        """
        with self._connections.taken(shard, "system.processes") as connection:
            [(running, now)] = connection.client.query(RUNNING, {"name": statement_name(token)}).result_rows
            if running:
                connection.client.command(KILL, parameters={"name": statement_name(token)})
        if running:
            raise Unavailable("an earlier insert of the same rows still runs in ClickHouse")
        if none_starts_after is not None and now <= none_starts_after:
            wait = none_starts_after - now
            raise Unavailable(f"an earlier insert of the same rows may still start within {wait:.0f} s")

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
        """Inserts the counts once, even if it is called again with the same arguments. Raises like `insert`."""
        self._check_room(shard)
        with self._connections.taken(shard, USAGE_TABLE) as connection:
            connection.client.insert(
                USAGE_TABLE,
                usage.columns(),
                column_names=_USAGE_NAMES,
                column_types=_USAGE_TYPES,
                column_oriented=True,
                settings=self._settings | once(token),
            )

    def use_only(self, shards: Collection[int]) -> None:
        """Forgets which disks of other shards are full. Call it when partitions were assigned or revoked."""
        self._room.use_only(shards)

    def close(self) -> None:
        """Closes the idle connections."""
        self._connections.close()

    @contextmanager
    def _ready(self, shard: int, lane: int, messages: Sequence[LogMessage], token: str) -> Iterator["_ReadyInsert"]:
        """Yields when the shard can take an insert of the messages' rows, which the block then runs. Raises like
        `insert`."""
        self._check_room(shard)
        started = time.monotonic()
        try:
            with (
                self._connections.taken(shard, table_name(lane)) as connection,
                self._index_settings(shard, lane, messages) as index_settings,
            ):
                with before_insert():
                    self._check_views(shard, connection.client)
                settings = {**self._settings, **index_settings, "query_id": query_id(token)}
                yield _ReadyInsert(connection, lane, settings)
        except NothingStored:
            raise
        except LogsieveError:
            if time.monotonic() - started >= self._max_seconds:
                self._end_unanswered(shard, token)
            raise
        labels = {"lane": str(lane)}
        count = sum(map(len, messages))
        metrics.histogram(metrics.LOADER_INSERT_SECONDS).record(time.monotonic() - started, labels)
        metrics.histogram(metrics.LOADER_BATCH_ROWS).record(count, labels)
        metrics.counter(metrics.LOADER_BATCHES).add(1, labels)
        metrics.counter(metrics.LOADER_ROWS).add(count, labels)

    def _index_settings(
        self, shard: int, lane: int, messages: Sequence[LogMessage]
    ) -> AbstractContextManager[Mapping[str, str]]:
        if self._late_index is None:
            return nullcontext({})
        partitions = {(each.envelope.cohort, day) for each in messages for day in each.message.days}
        return self._late_index.insert(shard, table_name(lane), sum(map(len, messages)), len(partitions))

    def _check_room(self, shard: int) -> None:
        with before_insert():
            self._room.check(shard)

    def _read_volume(self, shard: int) -> Volume:
        with self._connections.taken(shard, "system.disks") as connection:
            return read_volume(connection.client)

    def _check_views(self, shard: int, client: Client) -> None:
        """Raises NothingStored while the shard has views that count fields too, because each field would be counted
        twice."""
        if shard in self._without_views:
            return
        if views := earlier_views(client):
            raise NothingStored(
                f"view {views[0]} counts fields, which the loader does now, so they would be counted twice: run"
                " `logsieve migrate`, which drops such views"
            )
        self._without_views.add(shard)

    def _end_unanswered(self, shard: int, token: str) -> None:
        """Ends an insert that did not answer in time, so that it does not run at the same time as its retry."""
        with suppress(LogsieveError):
            self.stop(shard, token)


@dataclass(frozen=True, slots=True)
class _ReadyInsert:
    """An insert into a lane's table over a connection that was taken for it."""

    connection: Connection
    lane: int
    settings: Mapping[str, str | int | float]

    def insert(
        self,
        block: Generator[bytes, None, None],
        deduplication: Mapping[str, str | int],
        before_sending: BeforeSending,
        without_days: frozenset[int] = frozenset(),
    ) -> None:
        """Inserts the block's rows, except those of `without_days`. Raises clickhouse-connect's Error.

        The block's chunks are sent while they are built, because all rows may be many times as large as their messages.
        """
        with before_insert():
            target = insert_target(self.lane, self.connection.server_time(), without_days)
        settings = {**self.settings, **deduplication}
        # Another owner of the partition waits until the deadline in `target` has passed. So the deadline must be older
        # than this check.
        before_sending()
        self.connection.client.raw_insert(target, insert_block=block, settings=settings, fmt="Native")
