"""Statements about the index on words: which tables may get it late, and which of their parts lack it."""

from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.index_profiles import BODY_INDEXES, Profile

INDEX: Final = BODY_INDEXES[Profile.tokenbf].name
"""The index that is built late. The index of profile `text` is not, because a merge that builds it anew costs more than
one that merges the indexes of its parts (docs/decisions/0047)."""

EXCLUDE: Final = "exclude_materialize_skip_indexes_on_insert"
"""Setting of an insert with the names of indexes that its parts do not get."""

_LATE_PARTS: Final = (
    "SELECT partition_id, max(modification_time) <= now() - {seconds:UInt32} FROM system.parts"
    " WHERE active AND database = currentDatabase() AND table = {table:String}"
    # Parts as they were inserted. A merge builds the index, and so does a mutation, which changes the version.
    " AND level = 0 AND data_version = min_block_number AND rows >= {rows:UInt32} GROUP BY partition_id"
)
_TABLES: Final = (
    "SELECT table, any(active_parts) FROM system.data_skipping_indices AS indexes INNER JOIN (SELECT"
    " name AS table, active_parts FROM system.tables WHERE database = currentDatabase()) AS tables USING (table)"
    " WHERE database = currentDatabase() AND indexes.name = {index:String} GROUP BY table"
)


def indexed_tables(client: Client) -> dict[str, int]:
    """Returns the numbers of active parts of the tables that have the index; none if inserts cannot leave it out."""
    if EXCLUDE not in client.server_settings:
        return {}
    rows = client.query(_TABLES, parameters={"index": INDEX}).result_rows
    return {str(table): int(parts or 0) for table, parts in rows}


def late_partitions(client: Client, table: str, rows: int, seconds: float) -> tuple[list[str], bool]:
    """Returns the ids of partitions with parts of at least `rows` rows that may lack the index, if the newest of these
    parts is older than `seconds`; and whether there are other partitions with such parts."""
    found = client.query(_LATE_PARTS, parameters={"table": table, "rows": rows, "seconds": round(seconds)}).result_rows
    idle = [str(partition) for partition, is_idle in found if is_idle]
    return idle, len(idle) < len(found)


def build_index(client: Client, table: str, partition: str) -> None:
    """Builds the index in a partition's parts that lack it, and returns when they have it.

    ClickHouse makes new hard links for all other parts of the table.
    """
    client.command(
        f"ALTER TABLE `{table}` MATERIALIZE INDEX {INDEX} IN PARTITION ID {{partition:String}}",
        parameters={"partition": partition},
        settings={"mutations_sync": 1},
    )
