"""Copies a tenant's newest stored records into a table of the study, and changes nothing where they are stored.

The records come from one table of one server, and follow each other in it. So granules of the copy have the words that
granules of the original have, which a random sample of all records would not.
"""

from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect, connect_shards
from kit.errors import NotFound
from kit.settings import Settings
from loadtest.bench import Say
from schema.clickhouse.tables import LOG_TABLE
from schema.columns import NAMES

_BATCH_ROWS: Final = 2_000
"""Records of a batch, which is held in memory. A record may have hundreds of kilobytes."""
_PROGRESS_EVERY: Final = 10
_COPIED: Final = "copied"
"""Comment of a table that has all records of the copy."""
_NEVER_NS: Final = 2**63 - 1
_COLUMNS: Final = ", ".join(f"`{name}`" for name in NAMES)
_GENTLE: Final = {"max_threads": 1, "use_uncompressed_cache": 0}
"""Settings of statements that read stored records, so that searches of the tenant's users have the other cores."""


@dataclass(frozen=True, slots=True)
class TenantRecords:
    """The newest `rows` records of a tenant on the servers of `settings`."""

    settings: Settings
    tenant: str
    tenant_id: int
    rows: int

    def copy(self, client: Client, table: str, say: Say) -> None:
        """Fills the empty or half-filled `table` of the study. A table that was filled before is kept as it is.

        Raises NotFound if the tenant has no records.
        """
        ((comment,),) = client.query(
            "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = {table:String}",
            parameters={"table": table},
        ).result_rows
        if comment == _COPIED:
            return
        client.command(f"TRUNCATE TABLE {table}")
        shard, original = self._largest_table()
        with connect(self.settings, shard=shard) as source:
            starts = self._batch_starts(source, original)
            for number, (start, end) in enumerate(zip(starts, [*starts[1:], _NEVER_NS], strict=True)):
                if number % _PROGRESS_EVERY == 0:
                    say(f"copying records of {self.tenant}: {number * _BATCH_ROWS:,} of at most {self.rows:,}")
                rows = source.raw_query(
                    f"SELECT {_COLUMNS} FROM {original} WHERE tenant_id = {{tenant:UInt32}}"
                    " AND timestamp >= fromUnixTimestamp64Nano({start:Int64})"
                    " AND timestamp < fromUnixTimestamp64Nano({end:Int64}) FORMAT Native",
                    parameters={"tenant": self.tenant_id, "start": start, "end": end},
                    settings=_GENTLE,
                )
                client.raw_insert(table, NAMES, rows, settings={"async_insert": 0}, fmt="Native")
        client.command(f"ALTER TABLE {table} MODIFY COMMENT '{_COPIED}'")

    def _largest_table(self) -> tuple[int, str]:
        """Returns the shard and the log table that have most records of the tenant."""
        counts: list[tuple[int, int, str]] = []
        with connect_shards(self.settings) as shards:
            for shard, client in enumerate(shards):
                found = client.query(
                    f"SELECT count(), _table FROM merge(currentDatabase(), '^{LOG_TABLE}$')"
                    " WHERE tenant_id = {tenant:UInt32} GROUP BY _table",
                    parameters={"tenant": self.tenant_id},
                    settings=_GENTLE,
                ).result_rows
                counts += [(int(count), shard, str(table)) for count, table in found]
        if not counts:
            raise NotFound(f"tenant {self.tenant!r} has no stored records: choose another tenant")
        _, shard, table = max(counts)
        return shard, table

    def _batch_starts(self, source: Client, table: str) -> list[int]:
        """Returns the first timestamp of each batch, in ascending order, in nanoseconds since the Unix epoch."""
        found = source.query(
            "SELECT min(toUnixTimestamp64Nano(timestamp)) FROM (SELECT timestamp, rowNumberInAllBlocks() AS place"
            f" FROM (SELECT timestamp FROM {table} WHERE tenant_id = {{tenant:UInt32}} ORDER BY timestamp DESC"
            " LIMIT {rows:UInt64})) GROUP BY intDiv(place, {batch:UInt64})",
            parameters={"tenant": self.tenant_id, "rows": self.rows, "batch": _BATCH_ROWS},
            settings=_GENTLE,
        ).result_rows
        return sorted({int(timestamp) for (timestamp,) in found})
