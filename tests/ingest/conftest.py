"""Fixtures of tests of the loader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.pipeline import Pipeline, new_pipeline
from tests.running_stack import Stack


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path) -> Iterator[Pipeline]:
    """Yields a topic and a database of the test's own on the session's stack, for a loader with default settings."""
    with new_pipeline(stack, tmp_path) as made:
        yield made
