"""The other side of the comparison: the same rows, inserted by ClickHouse's own Native format and nothing else."""

import http.client
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode, urlsplit

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from kit.settings import Settings
from schema.columns import NAMES

COPY: Final = "loadtest_copy"
_COLUMNS: Final = ", ".join(f"`{name}`" for name in NAMES)
_SECONDS: Final = 300


def create_copy(client: Client, table: str) -> None:
    """Makes an empty table with the definition of `table`: columns, codecs, indexes, partitions and settings."""
    client.command(f"DROP TABLE IF EXISTS {COPY} SYNC")
    client.command(f"CREATE TABLE {COPY} AS {table}")


def read_batches(client: Client, table: str, tenant_id: int, rows: int) -> Iterator[bytes]:
    """Reads a tenant's rows as Native, `rows` at a time in the order they arrived in Kafka, as the loader had them."""
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


class NativeInserter:
    """Bytes over HTTP into the copy, one connection, no work on the client."""

    def __init__(self, settings: Settings) -> None:
        url = urlsplit(settings.clickhouse_http_url)
        self._http = http.client.HTTPConnection(url.hostname or "127.0.0.1", url.port, timeout=_SECONDS)
        self._headers = {"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret}
        query = f"INSERT INTO {COPY} ({_COLUMNS}) FORMAT Native"
        parameters = {"database": settings.clickhouse_database, "query": query, "async_insert": "0"}
        self._path = f"/?{urlencode(parameters)}"

    def insert(self, native: bytes) -> None:
        """Raises Internal when ClickHouse does not take it."""
        self._http.request("POST", self._path, native, self._headers)
        answer = self._http.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise Internal(f"native insert was answered {answer.status}: {content[:300]!r}")

    def close(self) -> None:
        self._http.close()
