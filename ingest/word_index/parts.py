"""Finds the tables whose inserts may leave out the index on words, and builds it in partitions."""

from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import FAILED_AT, FAILURE
from schema.clickhouse.index_profiles import BODY_INDEXES, NOT_INSERTED, SEARCHED_WORDS, Profile

INDEX: Final = BODY_INDEXES[Profile.tokenbf].name
"""Name of the index that inserts may leave out. The index of profile `text` is never left out, because a merge that
builds it costs more than a merge that combines the indexes of its parts (docs/decisions/0047)."""

LEFT_OUT: Final = f"{INDEX}, {SEARCHED_WORDS.name}"
"""Indexes that a late insert leaves out, as the value of the setting NOT_INSERTED."""

_BUILDING: Final = (
    f"SELECT mutation_id, if({FAILURE} = '', 0, {FAILED_AT}), {FAILURE} FROM system.mutations"
    " WHERE NOT is_done AND NOT is_killed AND database = currentDatabase()"
    " AND table = {table:String} AND position(command, {building:String}) > 0"
)
_TABLES: Final = (
    "SELECT table, any(active_parts) FROM system.data_skipping_indices AS indexes INNER JOIN (SELECT"
    " name AS table, active_parts FROM system.tables WHERE database = currentDatabase()) AS tables USING (table)"
    " WHERE database = currentDatabase() AND indexes.name = {index:String} GROUP BY table"
)


def indexed_tables(client: Client) -> dict[str, int]:
    """Returns the tables that have the index, each with its number of active parts. Returns no table if the server
    cannot leave out indexes at inserts."""
    if NOT_INSERTED not in client.server_settings:
        return {}
    rows = client.query(_TABLES, parameters={"index": INDEX}).result_rows
    return {str(table): int(parts or 0) for table, parts in rows}


def active_parts(client: Client, table: str) -> int:
    """Returns the number of active parts of the table."""
    statement = "SELECT active_parts FROM system.tables WHERE database = currentDatabase() AND name = {table:String}"
    return sum(int(parts or 0) for (parts,) in client.query(statement, parameters={"table": table}).result_rows)


def build_index(client: Client, table: str, partition: str) -> None:
    """Starts to build the index in those parts of a partition that lack it. Does not wait, because ClickHouse may run
    a longer mutation of the table first.

    ClickHouse makes new hard links for all other parts of the table.
    """
    client.command(
        f"ALTER TABLE `{table}` MATERIALIZE INDEX {INDEX} IN PARTITION ID {{partition:String}}",
        parameters={"partition": partition},
        settings={"mutations_sync": 0},
    )


@dataclass(frozen=True, slots=True)
class RunningBuild:
    """A build of the index that has not ended, with the reason of its last failure and its time in seconds since the
    Unix epoch. Without a failure, they are '' and 0."""

    mutation: str
    failed_at: int
    failure: str


def running_builds(client: Client, table: str) -> list[RunningBuild]:
    """Returns the builds of the index in this table that have not ended."""
    parameters = {"table": table, "building": f"MATERIALIZE INDEX {INDEX} "}
    rows = client.query(_BUILDING, parameters=parameters).result_rows
    return [RunningBuild(str(mutation), int(failed_at), str(failure)) for mutation, failed_at, failure in rows]
