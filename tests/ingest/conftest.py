"""Fixtures of tests of the loader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.pipeline import Pipeline, new_pipeline
from tests.running_stack import Stack


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Pipeline]:
    """Yields a topic and a database of the test's own on the session's stack, for a loader with default settings.

    A test that is marked with `lanes(n)` gets n lanes.
    """
    marker = request.node.get_closest_marker("lanes")
    settings = {} if marker is None else {"LANES": str(marker.args[0])}
    with new_pipeline(stack, tmp_path, **settings) as made:
        yield made
