"""Creates log tables for studies that use ClickHouse alone: Logsieve's columns and keys, the study's own indexes."""

from collections.abc import Mapping

from clickhouse_connect.driver.client import Client

from schema.columns import COLUMNS, SORTING_KEY


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


def count_rows(client: Client, table: str) -> int:
    """Returns the number of rows of a table, or of a subquery in parentheses."""
    return int(client.query(f"SELECT count() FROM {table}").result_rows[0][0])
