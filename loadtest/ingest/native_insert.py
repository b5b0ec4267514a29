"""Inserts the stored rows into a copy of their table in ClickHouse's Native format, to compare its cost with ours."""

from collections.abc import Iterator
from typing import Final

from clickhouse_connect.driver.client import Client

from schema.columns import NAMES

COPY: Final = "loadtest_copy"
_COLUMNS: Final = ", ".join(f"`{name}`" for name in NAMES)


def create_copy(client: Client, table: str) -> None:
    """Creates the empty table COPY with the columns, codecs, indexes, partitions and settings of `table`."""
    client.command(f"DROP TABLE IF EXISTS {COPY} SYNC")
    client.command(f"CREATE TABLE {COPY} AS {table}")


def read_batches(client: Client, table: str, tenant_id: int, rows: int) -> Iterator[bytes]:
    """Yields a tenant's rows in Native format, `rows` per batch, ordered by id as in the loader's batches.

    An id orders rows by their partition and offset in Kafka.
    """
    parameters = {"tenant": tenant_id, "rows": rows}
    starts = [
        record_id
        for (record_id,) in client.query(
            f"SELECT id FROM (SELECT id, rowNumberInAllBlocks() AS place FROM"
            f" (SELECT id FROM {table} WHERE tenant_id = {{tenant:UInt32}} ORDER BY id))"
            " WHERE place % {rows:UInt64} = 0 ORDER BY id",
            parameters=parameters,
        ).result_rows
    ]
    for first, after in zip(starts, [*starts[1:], 2**128 - 1], strict=True):
        yield client.raw_query(
            f"SELECT {_COLUMNS} FROM {table} WHERE tenant_id = {{tenant:UInt32}}"
            " AND id >= {first:UInt128} AND id < {after:UInt128} ORDER BY id FORMAT Native",
            parameters={**parameters, "first": first, "after": after},
        )


def insert(client: Client, native: bytes) -> None:
    """Inserts a batch of `read_batches` into COPY. Raises DatabaseError if ClickHouse refuses it."""
    client.raw_insert(COPY, NAMES, native, settings={"async_insert": 0}, fmt="Native")
