"""Reports an open socket or file in the test file that left it open, and not in whichever test runs later.

Python warns of them when it collects garbage, which happens at any time. A warning is an error in the tests.
"""

import gc
from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """Leaves what was imported out of every later collection, most of whose time it would take."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _collect_garbage() -> Iterator[None]:
    """Collects garbage after the last test of each file, after the file's fixtures have ended."""
    yield
    gc.collect()
