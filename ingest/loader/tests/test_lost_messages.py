"""Tests of batches of a partition whose newest messages Kafka has lost (decision 0060)."""

from ingest.committed.intent import IntendedRange, OffsetRange, ResumePosition
from ingest.loader.partition_buffer import PartitionBuffer
from ingest.loader.tests.buffers import EPOCH, LIMITS, at, buffer, message
from kit.clock import ManualClock
from schema.coordinates import UNKNOWN_EPOCH, LogPosition, TopicId

TOPIC = TopicId("0123456789abcdef" * 2)


def test_messages_with_the_offsets_of_lost_ones_have_other_tokens() -> None:
    before, after = buffer(start=5), buffer(start=6)
    before.add(at(5), message())
    assert after.arrived(at(5, EPOCH + 2)) == at(5, EPOCH + 2)
    after.add(at(5, EPOCH + 2), message())
    lost, found = before.take(), after.take()
    assert (found.offsets.start, found.offsets.end) == (lost.offsets.start, lost.offsets.end)
    assert found.offsets.token(TOPIC, 0) != lost.offsets.token(TOPIC, 0)
    assert found.start_epoch == EPOCH + 2


def test_an_intended_range_that_lost_messages_ends_before_those_that_have_their_offsets() -> None:
    repeating = buffer(start=5, intended_end=9)
    for offset in (5, 6):
        repeating.arrived(at(offset))
        repeating.add(at(offset), message(lane=offset))
    assert not repeating.full()
    repeating.arrived(at(7, EPOCH + 1))
    assert repeating.full()
    assert repeating.ends_before(at(7, EPOCH + 1), message())
    batch = repeating.take()
    assert batch.offsets == OffsetRange(0, 5, 9, EPOCH), "the intent and its tokens stay the same"
    assert batch.end == at(7)
    assert batch.split == {5, 6}, "one insert of the range may have stored rows, and none repeats it"
    repeating.add(at(7, EPOCH + 1), message())
    following = repeating.take()
    assert following.offsets == OffsetRange(0, 7, 8, EPOCH + 1)
    assert not following.split
    assert following.repeated is None


def test_the_rest_of_an_intended_range_does_not_wait_for_another_message() -> None:
    position = ResumePosition(5, EPOCH, IntendedRange(9, EPOCH, lost_from=7))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    for offset in (5, 6):
        assert not repeating.due()
        repeating.arrived(at(offset))
        repeating.add(at(offset), message(lane=offset))
    assert repeating.due()
    batch = repeating.take()
    assert (batch.offsets, batch.end) == (OffsetRange(0, 5, 9, EPOCH), at(7))
    assert batch.split == {5, 6}


def test_an_intended_range_of_which_kafka_has_nothing_is_not_repeated() -> None:
    position = ResumePosition(5, EPOCH, IntendedRange(9, EPOCH, lost_from=5))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    repeating.arrived(at(5, EPOCH + 1))
    repeating.add(at(5, EPOCH + 1), message())
    batch = repeating.take()
    assert (batch.offsets, batch.repeated) == (OffsetRange(0, 5, 6, EPOCH + 1), None)


def test_an_intended_range_that_lost_all_its_messages_is_not_repeated() -> None:
    repeating = buffer(start=5, intended_end=9)
    repeating.arrived(at(5, EPOCH + 1))
    repeating.add(at(5, EPOCH + 1), message())
    batch = repeating.take()
    assert batch.offsets == OffsetRange(0, 5, 6, EPOCH + 1)
    assert batch.repeated is None


def test_lanes_that_are_stored_stay_so_if_the_rest_of_the_range_is_lost() -> None:
    position = ResumePosition(5, intended=IntendedRange(9, EPOCH, inserted=frozenset({1})))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    repeating.add(at(5), message(lane=1))
    repeating.add(at(6), message(lane=2))
    repeating.arrived(at(8, EPOCH + 1))
    batch = repeating.take()
    assert batch.inserted == {1}
    assert batch.split == {2}


def test_ids_in_a_range_of_an_earlier_release_have_no_leader_epoch() -> None:
    position = ResumePosition(5, EPOCH, IntendedRange(7))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    assert repeating.arrived(at(6)) == LogPosition(6, UNKNOWN_EPOCH)
    assert repeating.arrived(at(7)) == at(7)
    repeating.add(at(6), message())
    batch = repeating.take()
    assert batch.offsets == OffsetRange(0, 5, 7), "its token has none either"
    assert batch.end == at(7)
    repeating.add(at(7), message())
    assert repeating.take().offsets == OffsetRange(0, 7, 8, EPOCH)
