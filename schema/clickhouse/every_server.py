"""Reads something from every ClickHouse server of the settings."""

from collections.abc import Callable
from typing import TypeVar

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.settings import Settings
from kit.topology import Place

Result = TypeVar("Result")


def read_every_server(settings: Settings, read: Callable[[Client, Place], Result]) -> list[Result]:
    """Returns the result of `read` for each server of all shards and replicas.

    Raises what `connect` raises, and an error of ClickHouse within `read` as `translate` returns it: Unavailable if the
    server stops answering or its tables were not migrated.
    """
    results = []
    for place in settings.topology.places:
        try:
            with connect(settings.of_replica(place.replica), shard=place.shard) as client:
                results.append(read(client, place))
        except Error as error:
            raise translate(error) from error
    return results
