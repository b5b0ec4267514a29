"""A full one-machine stack for the black-box tests, started with the real command in a separate folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.running_stack import Stack, start_stack, stop_stack

SETTINGS: Final = {
    # New tenants and keys are known at once instead of after 2 s, in most of a thousand tests.
    "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
    # Sent records are stored at once, in most of a thousand tests.
    "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1",
    # Retention runs only when a test asks for it.
    "LOGSIEVE_RETENTION_INTERVAL_SECONDS": "86400",
}


# Brokers of tests live for minutes: less compiling takes 6 instead of 14 CPU seconds to start one.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A ready stack with tenant `demo`, its keys and no sample logs.

    LOGSIEVE_TEST_HOME names the folder of one to start or use, which goes on running. Workers have a folder each in it.
    """
    if kept := os.environ.get("LOGSIEVE_TEST_HOME"):
        yield start_stack(Path(kept, os.environ.get("PYTEST_XDIST_WORKER", "")), "--no-samples", nodes=1, **SETTINGS)
        return
    home = tmp_path_factory.mktemp("stack") / "home"
    try:
        yield start_stack(home, "--no-samples", nodes=1, **SETTINGS)
    finally:
        stop_stack(home)
