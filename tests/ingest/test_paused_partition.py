"""Tests that a partition which a loader had paused is read again when it leaves the loader and returns."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ingest.loader.consume import TopicConsumer
from kit.clock import SystemClock
from stack.ports import release_offset
from tests.ingest.pipeline import WAIT_SECONDS, Pipeline
from tests.running_stack import free_offset

POLL_SECONDS = 0.2


@contextmanager
def member(pipeline: Pipeline) -> Iterator[tuple[TopicConsumer, set[int]]]:
    """Yields a member of the pipeline's group, and the set of its partitions."""
    offset, partitions = free_offset(), set[int]()
    consumer = TopicConsumer(
        pipeline.settings.model_copy(update={"port_offset": offset}),
        lambda assigned: partitions.add(assigned.partition),
        partitions.discard,
        lambda _partition, _problem: None,
        SystemClock(),
    )
    try:
        yield consumer, partitions
    finally:
        consumer.close()
        release_offset(offset)


def test_a_partition_that_was_paused_when_it_left_is_read_when_it_returns(pipeline: Pipeline) -> None:
    every, deadline = set(range(pipeline.settings.kafka_partitions)), time.monotonic() + WAIT_SECONDS
    with member(pipeline) as (first, of_first):
        while of_first != every:
            assert time.monotonic() < deadline, "the only member has not all partitions"
            first.poll(POLL_SECONDS)
        first.pause_only(every)
        with member(pipeline) as (second, of_second):
            while not of_second:
                assert time.monotonic() < deadline, "the second member has no partition"
                first.poll(POLL_SECONDS)
                second.poll(POLL_SECONDS)
            [moved, *_] = of_second
        while of_first != every:
            assert time.monotonic() < deadline, "the partitions of the second member have not returned"
            first.poll(POLL_SECONDS)
        first.pause_only(set())
        pipeline.send(messages=1, partition=moved)
        while not any(message.partition() == moved for message in first.poll(POLL_SECONDS)):
            assert time.monotonic() < deadline, "the partition that returned is not read"
