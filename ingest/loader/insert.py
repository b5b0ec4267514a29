"""One lane's rows of a batch into ClickHouse, as one block under one token."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit import metrics
from kit.clickhouse import connect, translate
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.clickhouse.tables import table_name
from schema.columns import NAMES
from schema.otlp import LogMessage, native_block
from schema.usage import COLUMNS as USAGE_COLUMNS
from schema.usage import TABLE as USAGE_TABLE
from schema.usage import Usage

_USAGE_NAMES = tuple(name for name, _ in USAGE_COLUMNS)
_USAGE_TYPES = tuple(get_from_name(kind) for _, kind in USAGE_COLUMNS)
"""Given with every insert, so that the client does not ask the server for them each time."""

_ROWS_NEVER_REACHED = 2**31

# Codes of src/Common/ErrorCodes.cpp that say something of a server that takes inserts.
_REASONS: Final = {
    60: "it does not exist; `logsieve migrate` creates the log tables",
    159: "the insert took too long",
    202: "the log store is answering as many queries as it can",
    241: "the log store has too little memory for the insert",
    242: "it is read-only",
    243: "the log store has too little disk space",
    252: "it has too many parts; merging has to catch up",
}


class Inserter:
    """Used by several threads at once; connects when it is needed, so that a loader starts while ClickHouse is away."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._idle: tuple[deque[Client], ...] = tuple(deque() for _ in range(settings.shards))

    def insert(self, shard: int, lane: int, messages: Sequence[LogMessage], token: str) -> None:
        """Inserts the messages' rows once, however often it is called with the same shard, messages and token.

        Raises a LogsieveError when ClickHouse did not confirm; the rows may be in or not, so call again.
        """
        started = time.monotonic()
        table, rows = table_name(lane), sum(map(len, messages))
        block = native_block(messages)
        with self._connected(shard, table) as client:
            client.raw_insert(table, NAMES, block, _insert_settings(token), fmt="Native")
        labels = {"lane": str(lane)}
        metrics.histogram(metrics.LOADER_INSERT_SECONDS).record(time.monotonic() - started, labels)
        metrics.histogram(metrics.LOADER_BATCH_ROWS).record(rows, labels)
        metrics.counter(metrics.LOADER_BATCHES).add(1, labels)
        metrics.counter(metrics.LOADER_ROWS).add(rows, labels)

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
        """Inserts the counts once, however often it is called with the same arguments; raises as `insert`."""
        with self._connected(shard, USAGE_TABLE) as client:
            client.insert(
                USAGE_TABLE,
                usage.columns(),
                column_names=_USAGE_NAMES,
                column_types=_USAGE_TYPES,
                column_oriented=True,
                settings=_insert_settings(token),
            )

    def close(self) -> None:
        """Closes the connections nobody uses."""
        for idle in self._idle:
            while idle:
                idle.pop().close()

    @contextmanager
    def _connected(self, shard: int, table: str) -> Iterator[Client]:
        """A connection of this thread's own. One that failed is not used again."""
        if shard >= len(self._idle):
            raise Unavailable(
                f"rows were promised to shard {shard}, which LOGSIEVE_CLICKHOUSE_URL does not name any more"
            )
        idle = self._idle[shard]
        try:
            client = idle.pop()
        except IndexError:
            client = connect(self._settings, shard=shard)
        try:
            yield client
        except Error as error:
            client.close()
            raise _meaning(error, table) from error
        idle.append(client)


def _meaning(error: Error, table: str) -> LogsieveError:
    """What a failed insert says to an operator. Each is tried again: none is about the rows."""
    reason = _REASONS.get(error.code or 0)
    return translate(error) if reason is None else Unavailable(f"table {table}: {reason}")


def _insert_settings(token: str) -> dict[str, str | int]:
    return {
        "async_insert": 0,
        "insert_deduplicate": 1,
        "insert_deduplication_token": token,
        # A repetition must also reach the views of a table that has its rows: the first try may have failed in one.
        "deduplicate_blocks_in_dependent_materialized_views": 1,
        # A batch is one block, whatever its size, so that the blocks of a repetition are those of the first try.
        "min_insert_block_size_rows": _ROWS_NEVER_REACHED,
        "min_insert_block_size_bytes": 0,
        "max_insert_block_size": _ROWS_NEVER_REACHED,
        # A tenant may send a record of every day it retains; refusing the batch would stop the partition for good.
        "max_partitions_per_insert_block": 0,
        # Otherwise an error late in the insert could follow a status of 200.
        "wait_end_of_query": 1,
    }
