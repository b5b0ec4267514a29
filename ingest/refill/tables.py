"""Copies the tables of one server to another, partition by partition, through this process."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from clickhouse_connect.driver.client import Client

from schema.clickhouse.index_profiles import NOT_INSERTED, SEARCHED_WORDS

CHUNK_BYTES: Final = 2**20

_TABLES: Final = (
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name"
)
_PARTITIONS: Final = (
    "SELECT partition_id, any(partition), sum(rows) FROM system.parts"
    " WHERE database = currentDatabase() AND active AND table = {table:String}"
    " GROUP BY partition_id ORDER BY partition_id"
)
_AS_STORED: Final = {"max_execution_time": 0, "max_threads": 1}
_AS_READ: Final = {"insert_deduplicate": 0, NOT_INSERTED: SEARCHED_WORDS.name}


@dataclass(frozen=True, slots=True)
class Copied:
    """A partition that was copied, and how much of the server is done, in rows."""

    table: str
    partition: str
    rows_done: int
    rows: int


Report = Callable[[Copied], None]


def tables_of(client: Client) -> list[str]:
    """Returns the tables of the database that store rows, in contrast to views and distributed tables."""
    return [str(name) for (name,) in client.query(_TABLES).result_rows]


def copy_tables(source: Client, target: Client, report: Report) -> int:
    """Replaces the rows of the target's tables by the rows of the source's tables. Returns the number of copied rows.

    No process may write to either server meanwhile. Both must have the same tables. If the copy is
    interrupted, run it again. Raises clickhouse-connect's Error.
    """
    contents = {table: _partitions(source, table) for table in tables_of(source)}
    rows, done = sum(count for parts in contents.values() for _, count in parts.values()), 0
    for table, parts in contents.items():
        for partition_id in _partitions(target, table):
            # The server's guard against dropping large tables by mistake would keep large partitions.
            target.command(
                f"ALTER TABLE `{table}` DROP PARTITION ID '{partition_id}'", settings={"max_partition_size_to_drop": 0}
            )
        for partition_id, (name, count) in parts.items():
            select = f"SELECT * FROM `{table}` WHERE _partition_id = '{partition_id}'"
            stream = cast("BinaryIO", source.raw_stream(select, fmt="Native", settings=_AS_STORED))
            target.raw_insert(table, insert_block=_chunks(stream), fmt="Native", settings=_AS_READ)
            done += count
            report(Copied(table, name, done, rows))
    return rows


def _partitions(client: Client, table: str) -> dict[str, tuple[str, int]]:
    """Returns the name and the number of rows of each partition, by its id."""
    found = client.query(_PARTITIONS, parameters={"table": table}).result_rows
    return {str(partition_id): (str(name), int(rows)) for partition_id, name, rows in found}


def _chunks(stream: BinaryIO) -> Generator[bytes]:
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk
