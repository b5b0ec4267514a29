"""A database without tables on each shard of a running stack, for tests that create log tables of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from kit.clickhouse import connect, connect_shards
from kit.settings import Settings
from tests.search.engine import ClickHouse

_DATABASE: Final = "of_tests"


@dataclass(frozen=True, slots=True)
class EmptyStore:
    """An empty database on all shards of one replica, with the rights of the user that owns the tables."""

    settings: Settings
    shards: tuple[ClickHouse, ...]


@contextmanager
def empty_store(stack: Settings) -> Iterator[EmptyStore]:
    """Creates the database in the replica `loader_replica` of a stack's settings, and drops it after the block."""
    settings = stack.model_copy(update={"clickhouse_database": _DATABASE})
    for shard in range(settings.shards):
        with connect(stack, shard=shard) as client:
            client.command(f"DROP DATABASE IF EXISTS {_DATABASE} SYNC")
            client.command(f"CREATE DATABASE {_DATABASE}")
    with connect_shards(settings) as clients:
        ports = [urlsplit(url).port or 0 for url in settings.clickhouse_http_urls]
        yield EmptyStore(settings, tuple(map(ClickHouse, clients, ports)))
        for client in clients:
            client.command(f"DROP DATABASE {_DATABASE} SYNC")
