"""Copies a tenant's newest stored records into a table of the study, and changes nothing where they are stored.

The records are from one table of one server, and follow each other there. A random sample would have more distinct
words in a granule than the original.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect, connect_shards
from kit.errors import NotFound
from kit.settings import Settings
from loadtest.bare_table import INSERT_SETTINGS
from loadtest.bench import Say
from schema.clickhouse.tables import LOG_TABLE
from schema.columns import NAMES

BATCH_ROWS: Final = 2_000
"""Records of a batch, which is held in memory. A record may have hundreds of kilobytes."""
_PROGRESS_BATCHES: Final = 10
_GENTLE: Final = {"max_threads": 1}
"""Settings of statements that read stored records, so that searches of the tenant's users have the other cores."""


class Stored(NamedTuple):
    """A log table with records of the tenant: their number, and the timestamp of the newest in Unix nanoseconds."""

    shard: int
    table: str
    records: int
    newest_ns: int


class _Position(NamedTuple):
    """Place of a record in the order of time."""

    timestamp_ns: int
    id: int


def newest_table(found: Sequence[Stored], rows: int) -> Stored:
    """Returns the table with the newest record among those with `rows` records or more; if there are none, the one with
    most records. A tenant that was moved has records in the tables of several lanes."""
    large = [each for each in found if each.records >= rows]
    return max(large, key=lambda each: each.newest_ns) if large else max(found, key=lambda each: each.records)


@dataclass(frozen=True, slots=True)
class TenantRecords:
    """The newest `rows` records of a tenant in one log table, or all if the table has fewer."""

    settings: Settings
    tenant: str
    tenant_id: int
    rows: int

    def find(self) -> Stored:
        """Returns the table that the records are copied from. Raises NotFound if the tenant has no records."""
        found: list[Stored] = []
        with connect_shards(self.settings) as shards:
            for shard, client in enumerate(shards):
                tables = client.query(
                    "SELECT _table, count(), max(toUnixTimestamp64Nano(timestamp))"
                    f" FROM merge(currentDatabase(), '^{LOG_TABLE}$')"
                    " WHERE tenant_id = {tenant:UInt32} GROUP BY _table",
                    parameters={"tenant": self.tenant_id},
                    settings=_GENTLE,
                ).result_rows
                found += [Stored(shard, str(table), int(count), int(newest)) for table, count, newest in tables]
        if not found:
            raise NotFound(f"tenant {self.tenant!r} has no stored records: choose another tenant")
        return newest_table(found, self.rows)

    def copy(self, stored: Stored, client: Client, table: str, say: Say) -> None:
        """Fills the empty `table` of the study, the newest records first. Leaves out records that arrive meanwhile."""
        with connect(self.settings, shard=stored.shard) as source:
            for number, newest in enumerate(self._newest_of_batches(source, stored.table)):
                if number % _PROGRESS_BATCHES == 0:
                    say(f"copying records of {self.tenant}: {number * BATCH_ROWS:,} of at most {self.rows:,}")
                records = source.raw_query(
                    f"SELECT {', '.join(NAMES)} FROM {stored.table} WHERE tenant_id = {{tenant:UInt32}}"
                    " AND timestamp <= fromUnixTimestamp64Nano({newest:Int64})"
                    " AND (timestamp < fromUnixTimestamp64Nano({newest:Int64}) OR id <= {id:UInt128})"
                    " ORDER BY timestamp DESC, id DESC LIMIT {limit:UInt64} FORMAT Native",
                    parameters={
                        "tenant": self.tenant_id,
                        "newest": newest.timestamp_ns,
                        "id": newest.id,
                        "limit": min(BATCH_ROWS, self.rows - number * BATCH_ROWS),
                    },
                    settings=_GENTLE,
                )
                client.raw_insert(table, NAMES, records, settings=INSERT_SETTINGS, fmt="Native")

    def _newest_of_batches(self, source: Client, table: str) -> list[_Position]:
        """Returns the newest record of each batch, the newest batch first."""
        found = source.query(
            "SELECT toUnixTimestamp64Nano(timestamp), id FROM (SELECT timestamp, id, rowNumberInAllBlocks() AS place"
            f" FROM (SELECT timestamp, id FROM {table} WHERE tenant_id = {{tenant:UInt32}}"
            " ORDER BY timestamp DESC, id DESC LIMIT {rows:UInt64})) WHERE place % {batch:UInt64} = 0 ORDER BY place",
            parameters={"tenant": self.tenant_id, "rows": self.rows, "batch": BATCH_ROWS},
            settings=_GENTLE,
        ).result_rows
        return [_Position(int(timestamp), int(record_id)) for timestamp, record_id in found]
