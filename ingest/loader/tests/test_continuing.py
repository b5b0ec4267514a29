"""Tests which partitions take messages while all partitions together hold too many bytes."""

from unittest.mock import Mock

from confluent_kafka import Message

from ingest.committed.intent import IntendedRange, ResumePosition
from ingest.loader.claim import Claim
from ingest.loader.partition import OwnedPartition, continuing
from ingest.loader.partition_buffer import PartitionBuffer
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.buffers import EPOCH, LIMITS, at, message
from kit.clock import ManualClock
from schema.coordinates import TopicId


def partition(
    number: int, open_batch: bool = False, waiting: int = 0, intended_end: int | None = None
) -> OwnedPartition:
    """Returns a partition with this number of messages in its inbox."""
    intended = None if intended_end is None else IntendedRange(intended_end, EPOCH)
    buffer = PartitionBuffer(number, ResumePosition(5, EPOCH, intended), LIMITS, ManualClock(), shard=0)
    if open_batch:
        buffer.add(at(5), message())
    owned = OwnedPartition(Claim(StandstillWatch(ManualClock()), 0.0), buffer)
    for offset in range(6, 6 + waiting):
        owned.receive(Message(topic="logs", partition=number, offset=offset, value=b"!"))
    return owned


def test_one_partition_with_an_open_batch_continues() -> None:
    assert continuing([partition(1), partition(2, open_batch=True), partition(3, open_batch=True)]) == {2}


def test_a_partition_with_messages_continues_while_another_waits_for_its_leader() -> None:
    waits = partition(1, open_batch=True, intended_end=9)
    assert continuing([waits, partition(2, waiting=3), partition(3, waiting=3)]) == {1, 2}
    assert continuing([waits, partition(2, open_batch=True), partition(3, open_batch=True, waiting=3)]) == {1, 3}


def test_all_partitions_with_half_read_repeated_ranges_continue() -> None:
    """Tests partitions whose messages were fetched no further, or discarded by a pause. Any may wait for its leader."""
    repeating = [partition(number, open_batch=True, intended_end=9) for number in (1, 2, 3)]
    idle = partition(4, intended_end=9)
    started = partition(5, open_batch=True)
    assert continuing([*repeating, idle, started]) == {1, 2, 3}
    complete = partition(6, open_batch=True, intended_end=6)
    complete.start_delivery(Mock(), TopicId("ab" * 16))
    complete.buffer.add(at(6), message())
    assert continuing([*repeating, complete]) == {1, 2, 3}


def test_all_free_partitions_continue_if_none_has_an_open_batch() -> None:
    assert continuing([partition(1, waiting=1), partition(2)]) == {1, 2}
