"""Makes a socket or file that a test leaves open fail a test of the same file, not a later one.

Python warns of open sockets and files when it collects garbage, which can happen at any time. In the tests, a warning
is an error.
"""

import gc
from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """Excludes imported objects from all later garbage collections, of which they would take most of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _collect_garbage() -> Iterator[None]:
    """Collects garbage after each file of tests, when the file's fixtures have ended."""
    yield
    gc.collect()
