"""One lane's rows of a batch into ClickHouse, as one block under one token."""

import time

from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit import metrics
from kit.clickhouse import connect, translate
from kit.settings import Settings
from schema.clickhouse.tables import table_name
from schema.columns import COLUMNS, NAMES
from schema.log_columns import LogColumns

_TYPES = tuple(get_from_name(column.type) for column in COLUMNS)
"""Given with every insert, so that the client does not ask the server for them each time."""

_ROWS_NEVER_REACHED = 2**31


class Inserter:
    """Connects when it is first used, so that a loader starts while ClickHouse is away."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: Client | None = None

    def insert(self, lane: int, columns: LogColumns, token: str) -> None:
        """Inserts the rows once, however often it is called with the same rows and token.

        Raises a LogsieveError when ClickHouse did not confirm; the rows may be in or not, so call again.
        """
        started = time.monotonic()
        try:
            if self._client is None:
                self._client = connect(self._settings)
            self._client.insert(
                table_name(lane),
                columns.lists(),
                column_names=NAMES,
                column_types=_TYPES,
                column_oriented=True,
                settings=_insert_settings(token),
            )
        except Error as error:
            raise translate(error) from error
        labels = {"lane": str(lane)}
        metrics.histogram(metrics.LOADER_INSERT_SECONDS).record(time.monotonic() - started, labels)
        metrics.counter(metrics.LOADER_BATCHES).add(1, labels)
        metrics.counter(metrics.LOADER_ROWS).add(len(columns), labels)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _insert_settings(token: str) -> dict[str, str | int]:
    return {
        "async_insert": 0,
        "insert_deduplicate": 1,
        "insert_deduplication_token": token,
        # The client sends blocks of some megabytes; the server joins them into one, whatever the batch's size, so
        # that the blocks of a repetition are those of the first try.
        "min_insert_block_size_rows": _ROWS_NEVER_REACHED,
        "min_insert_block_size_bytes": 0,
        "max_insert_block_size": _ROWS_NEVER_REACHED,
        # A tenant may send a record of every day it retains; refusing the batch would stop the partition for good.
        "max_partitions_per_insert_block": 0,
        # Otherwise an error late in the insert could follow a status of 200.
        "wait_end_of_query": 1,
    }
