"""Tests that batches reach the end of a partition, which may be behind markers of transactions."""

import pytest
from confluent_kafka import KafkaError, Message
from structlog.testing import capture_logs

from ingest.committed.intent import IntendedRange, OffsetRange, ResumePosition
from ingest.loader.claim import Claim
from ingest.loader.loss import LossWatch
from ingest.loader.partition import OwnedPartition
from ingest.loader.partition_buffer import PartitionBuffer
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.buffers import EPOCH, LIMITS, at, buffer, message
from kit.clock import ManualClock


def test_a_batch_takes_in_the_markers_at_the_end() -> None:
    open_batch = buffer(start=5)
    open_batch.add(at(5), message())
    open_batch.ended(8)
    open_batch.ended(7)
    batch = open_batch.take()
    assert (batch.offsets, batch.end) == (OffsetRange(0, 5, 8, EPOCH), at(8))
    open_batch.add(at(8), message())
    assert open_batch.take().offsets == OffsetRange(0, 8, 9, EPOCH)


def test_markers_without_a_message_make_a_batch_that_waits_as_others_do() -> None:
    clock = ManualClock()
    idle = buffer(start=5, clock=clock)
    idle.ended(5)
    assert not idle.open
    idle.ended(6)
    assert not idle.due()
    clock.advance(LIMITS.seconds)
    assert idle.due()
    batch = idle.take()
    assert (batch.offsets, batch.end, batch.lanes) == (OffsetRange(0, 5, 6, EPOCH), at(6), {})
    idle.ended(6)
    assert not idle.open


def test_a_partition_whose_position_or_epoch_is_not_known_makes_no_batch_of_markers() -> None:
    for position in (ResumePosition(None), ResumePosition(5)):
        unknown = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
        unknown.ended(6)
        assert not unknown.open


@pytest.mark.parametrize("offsets", [(5, 6), (5,), ()])
def test_an_intended_range_that_ends_with_markers_is_complete_at_the_end_of_the_partition(
    offsets: tuple[int, ...],
) -> None:
    repeating = buffer(start=5, intended_end=8)
    for offset in offsets:
        repeating.arrived(at(offset))
        repeating.add(at(offset), message())
    repeating.ended(7)
    assert not repeating.due()
    repeating.ended(9)
    assert repeating.due()
    batch = repeating.take()
    assert (batch.offsets, batch.end.offset, batch.repeated) == (
        OffsetRange(0, 5, 8, EPOCH),
        8,
        IntendedRange(8, EPOCH),
    )
    repeating.ended(9)
    assert repeating.open, "the rest of the markers is not in the intended range"
    assert repeating.take().offsets == OffsetRange(0, 8, 9, EPOCH)


def test_the_rest_of_an_intended_range_does_not_wait_for_a_message_in_place_of_a_marker() -> None:
    position = ResumePosition(5, EPOCH, IntendedRange(9, EPOCH, lost_from=7))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    repeating.arrived(at(5))
    repeating.add(at(5), message(lane=1))
    assert not repeating.due()
    repeating.ended(7)
    assert repeating.due()
    batch = repeating.take()
    assert (batch.offsets, batch.end, batch.split) == (OffsetRange(0, 5, 9, EPOCH), at(7), frozenset({1}))


def test_the_end_of_a_partition_is_no_message() -> None:
    owned = OwnedPartition(Claim(StandstillWatch(ManualClock()), ManualClock().monotonic()), buffer(start=5))
    owned.receive(Message(partition=0, offset=5, value=b"first"))
    owned.receive(Message(partition=0, offset=7, error=KafkaError(KafkaError._PARTITION_EOF)))
    assert ([each.offset() for each in owned.inbox], owned.end) == ([5], 7)


def test_messages_that_kafka_deleted_before_the_end_are_reported_once() -> None:
    watch = LossWatch(lambda _: {0: 20})
    watch.received(0, 4)
    with capture_logs() as lines:
        watch.ended(0, 5)
        watch.ended(0, 20)
        watch.ended(0, 20)
        watch.received(0, 20)
    assert [(line["expected"], line["first_kept"]) for line in lines] == [(5, 20)]
