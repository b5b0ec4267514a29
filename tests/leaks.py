"""Keeps what a test leaves behind from later tests: its umask, and its open sockets and files, which fail a test of the
same file.

Python warns of open sockets and files when it collects garbage, which can happen at any time. In the tests, a warning
is an error.
"""

import gc
import os
from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """Excludes imported objects from all later garbage collections, of which they would take most of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _restore_umask() -> Iterator[None]:
    """Restores the umask, which `up` changes for its process."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture(scope="module", autouse=True)
def _collect_garbage() -> Iterator[None]:
    """Collects garbage after each file of tests, when the file's fixtures have ended."""
    yield
    gc.collect()
