"""Tests that ClickHouse's deduplication window counts one block for each partition of an insert.

docs/decisions/0007 relies on this.
"""

import time
from collections.abc import Iterator

import pytest

from ingest.loader.insert import Inserter
from kit.clickhouse import connect
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage
from tests.ingest.pipeline import DAY_NS, Pipeline
from tests.ingest.requests import request_of

pytestmark = pytest.mark.lanes(1)

WINDOW = 10


@pytest.fixture
def inserter(pipeline: Pipeline) -> Iterator[tuple[Inserter, Pipeline]]:
    with connect(pipeline.settings) as client:
        client.command(f"ALTER TABLE logs_0 MODIFY SETTING non_replicated_deduplication_window = {WINDOW}")
    inserter = Inserter(pipeline.settings)
    yield inserter, pipeline
    inserter.close()


def rows(days: int, offset: int) -> list[LogMessage]:
    """Returns a message at `offset` with one record on each of `days` days."""
    now = time.time_ns()
    request = request_of(*(now - day * DAY_NS for day in range(days)))
    envelope = Envelope(1, 0, "r30", 4096, now)
    return [LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, offset))]


def test_an_insert_is_a_block_for_each_partition_it_touches(inserter: tuple[Inserter, Pipeline]) -> None:
    writer, pipeline = inserter
    batches = {f"token-{offset}": rows(5, offset) for offset in range(3)}

    def count() -> int:
        [(found, _)] = pipeline.query("SELECT count(), 0 FROM logs_0")
        return found

    first, second, third = batches
    writer.insert(0, 0, batches[first], first, lambda: None)
    writer.insert(0, 0, batches[second], second, lambda: None)
    writer.insert(0, 0, batches[first], first, lambda: None)
    assert count() == 10, "two inserts of five partitions fit a window of ten"
    writer.insert(0, 0, batches[third], third, lambda: None)
    writer.insert(0, 0, batches[first], first, lambda: None)
    assert count() == 20, "with a third one, the first is forgotten"
