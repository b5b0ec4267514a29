"""The Distributed tables, which read a table of every shard; there are some where there is more than one shard."""

from kit.settings import Settings


def distributed_name(table: str) -> str:
    """The Distributed table over a table of all shards."""
    return f"distributed_{table}"


def readable_name(table: str, shards: int) -> str:
    """What to read a table from, so that no row of any shard is missing."""
    return table if shards == 1 else distributed_name(table)


def create_distributed(settings: Settings, name: str, table: str) -> str:
    """The statement that makes `name` read the local table `table` of every shard, with that table's columns of now.

    It holds no rows of its own, so it is replaced rather than altered. Nobody inserts through it: the loader chooses
    the shard, because a token is remembered only by the table that saw it.
    """
    database = settings.clickhouse_database
    return (
        f"CREATE OR REPLACE TABLE `{database}`.`{name}` AS `{database}`.`{table}`\n"
        f"ENGINE = Distributed('{settings.clickhouse_cluster}', '{database}', '{table}')"
    )
