"""One stack of two shards with two replicas each, for all tests of replicas."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running_stack import OVER_SHARDS, Stack, start_stack, stop_stack

SHARDS = 2
REPLICAS = 2
WINDOW_NS = 300 * 10**9
"""Nanoseconds after `start_ns` in which tests have their records."""
_SETTINGS = OVER_SHARDS | {"LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2", "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1"}


@pytest.fixture(scope="package")
def replicated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yields the stack. LOGSIEVE_TEST_REPLICAS_HOME names one that runs already."""
    if running := os.environ.get("LOGSIEVE_TEST_REPLICAS_HOME"):
        yield start_stack(Path(running), "--no-samples", nodes=(SHARDS, REPLICAS), **_SETTINGS)
        return
    home = tmp_path_factory.mktemp("replicas") / "home"
    try:
        yield start_stack(home, "--no-samples", nodes=(SHARDS, REPLICAS), **_SETTINGS)
    finally:
        stop_stack(home)


@pytest.fixture(scope="module")
def start_ns() -> int:
    return time.time_ns() // 10**9 * 10**9 - 600 * 10**9
