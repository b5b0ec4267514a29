import pytest

from ingest.committed.intent import IntendedRange, OffsetRange, ResumePosition
from ingest.loader.batch import MESSAGE_BYTES, DecodedMessage
from ingest.loader.partition_buffer import MAX_WAIT_FACTOR, USUAL_PARTS, PartitionBuffer
from ingest.loader.tests.buffers import EPOCH, LIMITS, at, buffer, dead, message
from kit.clock import ManualClock
from kit.errors import Internal
from schema.dead_letter import DeadLetter


def test_nothing_is_due_without_messages() -> None:
    clock = ManualClock()
    empty = buffer(clock=clock)
    clock.advance(10)
    assert not empty.due()
    with pytest.raises(Internal):
        empty.take()


def test_age_counts_from_the_first_message() -> None:
    clock = ManualClock()
    filling = buffer(clock=clock)
    clock.advance(10)
    filling.add(at(5), message())
    clock.advance(0.4)
    filling.add(at(6), message())
    assert not filling.due()
    clock.advance(0.1)
    assert filling.due()


def test_a_batch_of_many_days_waits_longer_within_a_bound() -> None:
    clock = ManualClock()
    for days, seconds in ((USUAL_PARTS, 0.5), (2 * USUAL_PARTS, 1.0), (10 * USUAL_PARTS, 0.5 * MAX_WAIT_FACTOR)):
        filling = buffer(clock=clock)
        filling.add(at(5), message(days=tuple(range(days))))
        clock.advance(seconds - 0.01)
        assert not filling.due()
        clock.advance(0.02)
        assert filling.due()


@pytest.mark.parametrize("full", [message(rows=10), message(size=1000)])
def test_rows_or_bytes_make_a_batch_due(full: DecodedMessage) -> None:
    filling = buffer()
    filling.add(at(5), message())
    assert not filling.due()
    filling.add(at(6), full)
    assert filling.due()


def test_rows_end_a_batch_and_messages_are_what_is_held() -> None:
    filling, heavy = buffer(), message(size=990)
    filling.add(at(5), heavy)
    assert filling.ends_before(at(6), message(size=20))
    content = len(heavy.rows.message.value)
    assert 0 < content < 290
    assert filling.held_bytes == filling.take().held_bytes == content + MESSAGE_BYTES


def test_batches_follow_each_other_without_a_gap() -> None:
    filling = buffer(start=5)
    filling.add(at(7), message())  # offsets 5 and 6 are not our messages, or are deleted
    assert filling.take().offsets == OffsetRange(0, 5, 8, EPOCH)
    filling.add(at(9), message())
    assert filling.take().offsets == OffsetRange(0, 8, 10, EPOCH)


def test_the_first_message_ever_is_where_a_partition_starts() -> None:
    filling = buffer(start=None)
    filling.add(at(3), message())
    assert filling.take().offsets == OffsetRange(0, 3, 4, EPOCH)


def test_rows_are_parted_by_lane_and_the_oldest_arrival_kept() -> None:
    filling = buffer()
    filling.add(at(5), message(rows=2, lane=1, received_at=300))
    filling.add(at(6), message(rows=1, lane=0, received_at=200))
    filling.add(at(7), message(rows=3, lane=1, received_at=400))
    batch = filling.take()
    assert {lane: [len(each) for each in messages] for lane, messages in batch.lanes.items()} == {0: [1], 1: [2, 3]}
    assert batch.oldest_received_at == 200


def test_messages_without_rows_move_the_range_and_come_along() -> None:
    filling = buffer()
    filling.add(at(5), dead())
    batch = filling.take()
    assert batch.offsets == OffsetRange(0, 5, 6, EPOCH)
    assert batch.lanes == {}
    assert batch.dead == [dead()]
    assert batch.oldest_received_at is None


def test_dead_letters_fill_a_batch_too() -> None:
    filling = buffer()
    filling.add(at(5), dead(value=bytes(1000)))
    assert filling.due()


def test_a_batch_ends_before_it_would_be_too_large() -> None:
    filling = buffer()
    filling.add(at(5), message(size=600))
    assert not filling.ends_before(at(6), message(size=400))
    assert filling.ends_before(at(6), message(size=401))


def test_one_message_larger_than_a_batch_is_one() -> None:
    filling = buffer()
    assert not filling.ends_before(at(5), message(size=5000))
    filling.add(at(5), message(size=5000))
    assert filling.take().offsets == OffsetRange(0, 5, 6, EPOCH)


@pytest.mark.parametrize(
    ("following", "ends"),
    [
        (message(days=(1, 2)), False),
        (message(days=(3,)), False),
        (message(days=(3, 4)), True),
        (message(days=(1, 2), cohort="r7"), True),
        (message(days=(1, 2, 3), lane=1), False),
        (dead(), False),
    ],
)
def test_a_batch_ends_before_an_insert_would_touch_too_many_parts(
    following: DecodedMessage | DeadLetter, ends: bool
) -> None:
    filling = buffer()
    filling.add(at(5), message(days=(1, 2)))
    assert filling.ends_before(at(6), following) == ends


@pytest.mark.parametrize(
    ("following", "ends"),
    [
        (message(days=(2,)), False),
        (message(days=(1, 2, 3, 4, 5)), False),
        (message(days=(6,)), True),
        (message(days=(1,), cohort="r7"), True),
        (message(days=(1, 2, 3), lane=1), False),
    ],
)
def test_a_message_of_many_days_shares_a_batch_with_messages_that_add_no_part(
    following: DecodedMessage, ends: bool
) -> None:
    """Otherwise a tenant with records of many days in each message would make each message a batch of its own."""
    filling = buffer()
    filling.add(at(5), message(days=(1, 2, 3, 4, 5)))
    assert filling.ends_before(at(6), following) == ends


def test_an_intended_range_is_not_cut_by_limits() -> None:
    repeating = buffer(start=5, intended_end=8)
    repeating.add(at(5), message(size=900, days=(1, 2, 3)))
    assert not repeating.ends_before(at(6), message(size=900, days=(4, 5, 6)))
    assert repeating.ends_before(at(8), message())


def test_stored_lanes_belong_to_the_intended_range_only() -> None:
    position = ResumePosition(5, intended=IntendedRange(6, inserted=frozenset({2})))
    repeating = PartitionBuffer(0, position, LIMITS, ManualClock(), shard=0)
    repeating.add(at(5), message(lane=2))
    assert repeating.take().inserted == {2}
    repeating.add(at(6), message(lane=2))
    assert repeating.take().inserted == frozenset()


def test_an_intended_range_goes_to_the_intended_shard_and_later_ones_to_the_partitions_own() -> None:
    repeating = PartitionBuffer(
        0, ResumePosition(5, intended=IntendedRange(6, shard=3)), LIMITS, ManualClock(), shard=1
    )
    repeating.add(at(5), message())
    assert repeating.take().shard == 3
    repeating.add(at(6), message())
    assert repeating.take().shard == 1


def test_an_intent_whose_messages_were_deleted_binds_no_later_batch_to_its_shard() -> None:
    repeating = PartitionBuffer(
        0, ResumePosition(5, intended=IntendedRange(8, shard=3)), LIMITS, ManualClock(), shard=1
    )
    repeating.add(at(20), message())
    assert repeating.take().shard == 1


def test_an_intended_range_is_repeated_whatever_the_limits_say() -> None:
    clock = ManualClock()
    repeating = buffer(start=5, intended_end=8, clock=clock)
    repeating.add(at(5), message(rows=50))
    clock.advance(60)
    assert not repeating.due()
    repeating.add(at(6), message())
    repeating.add(at(7), message())
    assert repeating.due()
    assert repeating.take().offsets == OffsetRange(0, 5, 8, EPOCH)
    repeating.add(at(8), message(rows=10))
    assert repeating.due()


def test_an_intended_range_ends_before_a_message_beyond_it() -> None:
    repeating = buffer(start=5, intended_end=8)
    assert not repeating.ends_before(at(5), message())
    repeating.add(at(5), message())
    assert not repeating.ends_before(at(7), message())
    assert repeating.ends_before(at(9), message())
    assert repeating.take().offsets == OffsetRange(0, 5, 8, EPOCH)


def test_an_intent_for_messages_that_kafka_has_deleted_is_dropped() -> None:
    repeating = buffer(start=5, intended_end=8)
    repeating.add(at(20), message())
    assert repeating.take().offsets == OffsetRange(0, 5, 21, EPOCH)


def test_a_partition_that_starts_anew_continues_there() -> None:
    anew = buffer(start=50, intended_end=60)
    anew.add(at(0, EPOCH + 1), message())
    assert anew.take().offsets == OffsetRange(0, 0, 1, EPOCH + 1)


def test_a_message_before_the_committed_one_that_the_same_leader_wrote_was_loaded_before() -> None:
    with pytest.raises(Internal, match="went back from offset 50 to 0"):
        buffer(start=50).add(at(0), message())


def test_offsets_never_go_back_within_an_assignment() -> None:
    filling = buffer()
    filling.add(at(5), message())
    filling.take()
    with pytest.raises(Internal, match="went back from offset 6 to 5"):
        filling.add(at(5), message())


def test_a_batch_is_committed_with_the_leader_epochs_at_its_ends() -> None:
    filling = buffer(start=5)
    filling.add(at(5), message())
    filling.add(at(6, EPOCH + 1), message())
    batch = filling.take()
    assert (batch.start_epoch, batch.end) == (EPOCH, at(7, EPOCH + 1))
    assert batch.offsets.leader_epoch == EPOCH + 1
    filling.add(at(7, EPOCH + 2), message())
    batch = filling.take()
    assert (batch.start_epoch, batch.end) == (EPOCH + 1, at(8, EPOCH + 2))
