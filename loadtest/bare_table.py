"""Tables of studies that use ClickHouse alone, and the cost of statements over them by its query log."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from schema.columns import COLUMNS, SORTING_KEY

INSERT_SETTINGS: Final = {"async_insert": 0, "max_partitions_per_insert_block": 0}
"""Settings of inserts of records of any number of days, each of which is in another table partition."""
_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.25


def create_bare_table(name: str, settings: Mapping[str, int], *indexes: str) -> str:
    """Returns the statement that creates a log table without Logsieve's skip indexes.

    Each of `indexes` is the text that follows the keyword INDEX. `settings` are settings of the table.
    """
    columns = ", ".join((*(column.ddl for column in COLUMNS), *(f"INDEX {index}" for index in indexes)))
    given = ", ".join(f"{setting} = {value}" for setting, value in settings.items())
    return (
        f"CREATE TABLE IF NOT EXISTS {name} ({columns}) ENGINE = MergeTree PARTITION BY (cohort, toDate(timestamp))"
        f" ORDER BY ({', '.join(SORTING_KEY)}) SETTINGS {given}"
    )


def digest(*statements: str) -> str:
    """Returns eight hexadecimal digits for the name of a table that remains between runs.

    They differ for other statements, so that a run with changed code fills a new table instead of using an old one.
    """
    return f"{crc32(' '.join(statements).encode()):08x}"


def count_rows(client: Client, table: str) -> int:
    """Returns the number of rows of a table, or of a subquery in parentheses."""
    return int(client.query(f"SELECT count() FROM {table}").result_rows[0][0])


def logged(client: Client, query: str, parameters: Mapping[str, object], count: int) -> Sequence[Sequence[Any]]:
    """Returns the rows that `query` selects from system.query_log, as soon as there are exactly `count`.

    Raises Internal if there are not after about ten seconds.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        client.command("SYSTEM FLUSH LOGS query_log")
        rows = client.query(query, parameters=dict(parameters)).result_rows
        if len(rows) == count:
            return rows
    raise Internal(f"the query log has {len(rows)} of {count} statements")
