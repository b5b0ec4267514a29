"""Fixtures of tests of shards: a stack of two ClickHouse nodes, and a database of tests on both nodes."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kit.clickhouse import connect, connect_shards
from kit.settings import Settings
from tests.running_stack import Stack, start_stack, stop_stack
from tests.search.engine import ClickHouse

NODES = 2
_SETTINGS = {
    # Each request goes to another partition than the one before, so that both shards get rows of one tenant.
    "LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND": "1",
    "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
}
_DATABASE = "of_tests"


@pytest.fixture(scope="package")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yields a stack of two nodes: the one in folder LOGSIEVE_TEST_TWO_NODES_HOME, or else a new one."""
    if running := os.environ.get("LOGSIEVE_TEST_TWO_NODES_HOME"):
        yield start_stack(Path(running), "--no-samples", nodes=NODES, **_SETTINGS)
        return
    home = tmp_path_factory.mktemp("two") / "home"
    try:
        yield start_stack(home, "--no-samples", nodes=NODES, **_SETTINGS)
    finally:
        stop_stack(home)


@dataclass(frozen=True, slots=True)
class EmptyStore:
    """A database without tables on both nodes. Tests use it as the user that owns the tables."""

    settings: Settings
    shards: tuple[ClickHouse, ...]


@pytest.fixture(scope="module")
def empty_store(two: Stack) -> Iterator[EmptyStore]:
    settings = two.settings.model_copy(update={"clickhouse_database": _DATABASE})
    for shard in range(NODES):
        with connect(two.settings, shard=shard) as client:
            client.command(f"DROP DATABASE IF EXISTS {_DATABASE} SYNC")
            client.command(f"CREATE DATABASE {_DATABASE}")
    with connect_shards(settings) as clients:
        ports = [urlsplit(url).port or 0 for url in settings.clickhouse_http_urls]
        yield EmptyStore(settings, tuple(map(ClickHouse, clients, ports)))
        for client in clients:
            client.command(f"DROP DATABASE {_DATABASE} SYNC")
