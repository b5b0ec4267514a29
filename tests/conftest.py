"""Fixture of a complete one-machine stack for black-box tests, which `logsieve up` starts in a separate folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.running_stack import OVER_SHARDS, Stack, start_stack, stop_stack

SETTINGS: Final = {
    # Processes know new tenants and keys after 0.2 s instead of 2 s, for which most of a thousand tests wait.
    "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
    # Sent records are stored after 0.1 s, for which most of a thousand tests wait.
    "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1",
    # Retention runs only when a test calls it.
    "LOGSIEVE_RETENTION_INTERVAL_SECONDS": "86400",
}

ONE_SERVER: Final = "1x1"
NODES: Final = os.environ.get("LOGSIEVE_TEST_NODES", ONE_SERVER)

# Brokers of tests run only for minutes. With less JIT compilation, the start takes 6 instead of 14 CPU seconds.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if NODES != ONE_SERVER and item.get_closest_marker("one_server"):
        pytest.skip(f"in a stack of {NODES}, the rows of a tenant are in several partitions and on several servers")


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yields a ready stack with tenant `demo`, its keys and no sample logs.

    If LOGSIEVE_TEST_HOME names a folder, uses the stack that runs there, or starts one, and leaves it running. Each
    worker of pytest-xdist has a subfolder. LOGSIEVE_TEST_NODES has the number of shards and that of the replicas of
    each, such as `2x2`; without it, the stack has one ClickHouse server.
    """
    shards, replicas = map(int, NODES.split("x"))
    settings = SETTINGS if shards == 1 else SETTINGS | OVER_SHARDS

    def start(home: Path) -> Stack:
        return start_stack(home, "--no-samples", nodes=(shards, replicas), **settings)

    if kept := os.environ.get("LOGSIEVE_TEST_HOME"):
        yield start(Path(kept, os.environ.get("PYTEST_XDIST_WORKER", "")))
        return
    home = tmp_path_factory.mktemp("stack") / "home"
    try:
        yield start(home)
    finally:
        stop_stack(home)
