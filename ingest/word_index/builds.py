"""Starts and finds builds of the index on searched words. ClickHouse keeps their state: each is a mutation."""

import re
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import FAILED_AT, FAILURE
from ingest.word_index.searches import TablePartition
from schema.clickhouse.index_profiles import SEARCHED_WORDS
from schema.clickhouse.searched_words import BUILDING

_BUILDS: Final = (
    f"SELECT table, mutation_id, command, toUnixTimestamp(create_time), is_done OR is_killed, {FAILURE}, {FAILED_AT}"
    " FROM system.mutations WHERE database = currentDatabase() AND position(command, {building:String}) > 0"
    " ORDER BY create_time"
)
_TABLES: Final = (
    "SELECT tables.name, active_parts FROM system.tables INNER JOIN system.data_skipping_indices AS indexes"
    " ON indexes.database = tables.database AND indexes.table = tables.name"
    " WHERE tables.database = currentDatabase() AND indexes.name = {index:String}"
)
_PARTITION: Final = re.compile(r"IN PARTITION ID '(\w+)'")


@dataclass(frozen=True, slots=True)
class Build:
    """A build for one partition. `started` is in seconds since the Unix epoch by the server's clock. `failure` says why
    ClickHouse could not build a part, the last time at `failed_at`; ClickHouse tries again until the build is ended."""

    mutation: str
    """Id of the mutation, which is unique in its table."""
    partition: TablePartition
    started: int
    is_done: bool
    failure: str
    failed_at: int


def searchable_tables(client: Client) -> dict[str, int]:
    """Returns the tables that have the index, each with its number of active parts."""
    rows = client.query(_TABLES, parameters={"index": SEARCHED_WORDS.name}).result_rows
    return {str(table): int(parts or 0) for table, parts in rows}


def read_builds(client: Client) -> list[Build]:
    """Returns the builds that ClickHouse remembers, in the order of their start: all that run, and for each table those
    among its last 100 mutations."""
    found = []
    rows = client.query(_BUILDS, parameters={"building": BUILDING}).result_rows
    for table, mutation, command, started, is_done, failure, failed_at in rows:
        if partition := _PARTITION.search(command):
            of = TablePartition(str(table), partition.group(1))
            found.append(Build(str(mutation), of, int(started), bool(is_done), str(failure), int(failed_at)))
    return found


def start_build(client: Client, partition: TablePartition) -> None:
    """Starts a build for those parts of the partition that lack the index. Does not wait for it."""
    client.command(
        f"ALTER TABLE `{partition.table}` MATERIALIZE INDEX {SEARCHED_WORDS.name} IN PARTITION ID {{id:String}}",
        parameters={"id": partition.id},
        settings={"mutations_sync": 0},
    )
