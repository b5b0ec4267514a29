"""Tests until when logs count as stored, with Kafka and loaders."""

import asyncio
import contextlib
import time

from backend.alerts.stored_until import StoredUntil
from backend.alerts.topic_bounds import TopicBoundsReader
from backend.store.replicas.reach import ReachReader
from kit.clock import SystemClock
from kit.errors import Unavailable
from tests.ingest.pipeline import Pipeline


def test_logs_count_as_stored_when_a_loader_has_committed_them(pipeline: Pipeline) -> None:
    bounds, reaches = TopicBoundsReader(pipeline.settings), ReachReader(pipeline.settings)
    stored = StoredUntil(pipeline.settings, bounds.read, reaches.read, lambda _: None, SystemClock())

    def until() -> int | None:
        with contextlib.suppress(Unavailable):  # A new topic has no leaders at first.
            asyncio.run(stored.refresh())
        return stored.of([0])

    try:
        pipeline.wait(lambda: until() is not None, "the offsets of the empty topic are read")
        pipeline.send(messages=6)
        sent = time.time_ns()
        for _ in range(2):  # The second reading also looks at the ends that the first one remembered.
            waiting = until()
            assert waiting is not None
            assert waiting < sent
        pipeline.start_loader()
        pipeline.wait(lambda: (until() or 0) >= sent, "all logs count as stored")
        assert pipeline.stored() == pipeline.sent
        # A partition with a message then ends with a marker that no loader reads.
        pipeline.send(messages=1, partition=0)
        pipeline.abort_transaction(partition=0)
        ended = time.time_ns()
        pipeline.wait(lambda: (until() or 0) >= ended, "all logs count as stored without a further message")
    finally:
        bounds.close()
        reaches.close()
