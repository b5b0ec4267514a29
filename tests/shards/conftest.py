"""Fixtures of tests of shards: a stack of two ClickHouse nodes, and a database of tests on both nodes."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.empty_store import EmptyStore, empty_store
from tests.running_stack import OVER_SHARDS, Stack, start_stack, stop_stack

NODES = 2
_SETTINGS = OVER_SHARDS | {"LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2", "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1"}


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


@pytest.fixture(scope="module", name="empty_store")
def of_both_shards(two: Stack) -> Iterator[EmptyStore]:
    with empty_store(two.settings) as store:
        yield store


@pytest.fixture(scope="module")
def start_ns() -> int:
    return time.time_ns() // 10**9 * 10**9 - 600 * 10**9
