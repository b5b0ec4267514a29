"""Tests how the producer of dead letters keeps little in memory and waits for what is sent."""

from dataclasses import dataclass, field
from typing import cast

import pytest
from confluent_kafka import Producer

from ingest.dead.producer import (
    LARGEST_BYTES,
    QUEUE_BYTES,
    dead_letter_producer,
    flush_while_sending,
    retry_while_full,
)
from kit.settings import Settings


@dataclass
class Queue:
    """Producer that holds `room` messages. Each poll and flush reports some of them as delivered."""

    room: int = 2
    queued: int = 0
    most: int = 0
    remaining: list[int] = field(default_factory=list)
    """Results of the next calls of `flush`."""

    def produce(self) -> None:
        if self.queued == self.room:
            raise BufferError
        self.queued += 1
        self.most = max(self.most, self.queued)

    def poll(self, _seconds: float) -> None:
        self.queued = 0

    def flush(self, _seconds: float) -> int:
        return self.remaining.pop(0)


def test_reports_are_handled_after_each_message() -> None:
    queue = Queue()
    for _ in range(9):
        retry_while_full(cast(Producer, queue), queue.produce)
    assert queue.most == 1


def test_a_full_queue_is_tried_again() -> None:
    queue = Queue(queued=2)
    retry_while_full(cast(Producer, queue), queue.produce)
    assert queue.most == 1


@pytest.mark.parametrize(("remaining", "left"), [([0], 0), ([5, 3, 1, 0], 0), ([5, 3, 3], 3), ([5, 5], 5)])
def test_waits_as_long_as_messages_are_delivered(remaining: list[int], left: int) -> None:
    queue = Queue(remaining=remaining)
    assert flush_while_sending(cast(Producer, queue), 30.0) == left
    assert queue.remaining == []


def test_the_largest_dead_letter_fits_into_the_queue() -> None:
    producer = dead_letter_producer(Settings(), 0.1)
    value = bytes(LARGEST_BYTES - 1_000)
    producer.produce("dead", value)
    assert LARGEST_BYTES < QUEUE_BYTES
    producer.purge()
    producer.flush(10)
