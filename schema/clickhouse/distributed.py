"""The Distributed tables, which read a table of every shard. They exist only if there is more than one shard.

A statement over several lanes of all shards reads a table of each shard that merges the lanes there. To merge
Distributed tables instead fails with NOT_FOUND_COLUMN_IN_BLOCK for users with row policies (26.7).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kit.errors import Conflict
from kit.settings import Settings
from schema.clickhouse.fields_rollup import fields_table
from schema.clickhouse.tables import table_name
from schema.usage import TABLE as USAGE

if TYPE_CHECKING:
    # Imported only for types: the stack needs table names and never connects, and importing the client is slow.
    from clickhouse_connect.driver.client import Client


def distributed_name(table: str) -> str:
    """Returns the name of the Distributed table over all shards' tables of this name."""
    return f"distributed_{table}"


def readable_name(table: str, shards: int) -> str:
    """Returns the name of the table from which all shards' rows can be read."""
    return table if shards == 1 else distributed_name(table)


MERGE_TABLES: Final[Mapping[str, str]] = MappingProxyType({"logs_all": "logs_[0-9]+", "fields_all": "fields_[0-9]+"})
"""Merge tables, by name. Each reads the tables of all lanes on its server, whose names match the pattern."""


def create_merged(settings: Settings, name: str, merged: str) -> str:
    """Returns the statement that creates a table `name`, or replaces it, which reads what the table `merged` of
    MERGE_TABLES reads. Its columns are the present ones of lane 0.

    Searches choose lanes by a condition on the column `_table`.
    """
    database, pattern = settings.clickhouse_database, MERGE_TABLES[merged]
    first = pattern.replace("[0-9]+", "0")
    return (
        f"CREATE OR REPLACE TABLE `{database}`.`{name}` AS `{database}`.`{first}`\n"
        f"ENGINE = Merge('{database}', '^{pattern}$')"
    )


def create_distributed(settings: Settings, name: str, table: str) -> str:
    """Returns the statement that makes `name` read the local table `table` of every shard, with that table's present
    columns.

    The Distributed table stores no rows, so it is replaced rather than altered. It is not used for inserts: the loader
    chooses the shard, because only the table that received a token remembers it.
    """
    database = settings.clickhouse_database
    return (
        f"CREATE OR REPLACE TABLE `{database}`.`{name}` AS `{database}`.`{table}`\n"
        f"ENGINE = Distributed('{settings.clickhouse_cluster}', '{database}', '{table}')"
    )


def create_all_distributed(settings: Settings, lanes: Sequence[int]) -> list[str]:
    """Returns the statements for all tables of these lanes that searches read. The local tables must already exist."""
    merged = [create_merged(settings, name, name) for name in MERGE_TABLES]
    tables = (*map(table_name, lanes), *map(fields_table, lanes), *MERGE_TABLES, USAGE)
    return merged + [create_distributed(settings, distributed_name(table), table) for table in tables]


def check_cluster(client: "Client", settings: Settings) -> None:
    """Raises Conflict unless the server's cluster has as many shards as there are URLs, and, if the settings name
    replicas, one server for each.

    Reads through another cluster would miss rows, find them twice, or read replicas that lack the newest rows.
    """
    shards, servers = client.query(
        "SELECT uniqExact(shard_num), count() FROM system.clusters WHERE cluster = {cluster:String}",
        parameters={"cluster": settings.clickhouse_cluster},
    ).result_rows[0]
    where = f"cluster {settings.clickhouse_cluster} in the configuration of {client.command('SELECT hostName()')}"
    if shards != settings.shards:
        raise Conflict(
            f"the settings name {settings.shards} shards, but {where} has {shards}: give both the same number"
        )
    if settings.topology.replicas > 1 and servers != shards:
        raise Conflict(
            f"{where} has {servers} servers for {shards} shards: name only the servers of the same replica there, one"
            " for each shard"
        )
