"""Runs a function with a client of each shard's server of a replica."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.settings import Settings

T = TypeVar("T")


def on_each_shard(
    replica: Settings, shards: Iterable[int], run: Callable[[Client], T], database: str | None = None
) -> dict[int, T]:
    """Returns the result of the function for each of the shards. `database` is that of the settings by default. Raises
    Unavailable."""
    results = dict[int, T]()
    for shard in shards:
        try:
            with connect(replica, database=database, shard=shard) as client:
                results[shard] = run(client)
        except Error as error:
            raise translate(error) from error
    return results
