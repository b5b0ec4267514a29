import pytest

from ingest.loader.batch import DecodedMessage, Limits, PartitionBuffer
from ingest.loader.intent import OffsetRange
from ingest.loader.tests.rows import some_rows
from kit.clock import ManualClock
from kit.errors import Internal

LIMITS = Limits(rows=10, size=1000, seconds=0.5)


def message(rows: int = 1, size: int = 10, lane: int = 0, received_at: int = 100) -> DecodedMessage:
    return DecodedMessage(lane, some_rows(rows), size, received_at)


def buffer(start: int | None = 5, promised_end: int | None = None, clock: ManualClock | None = None) -> PartitionBuffer:
    return PartitionBuffer(0, start, promised_end, LIMITS, clock or ManualClock())


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
    filling.add(5, message())
    clock.advance(0.4)
    filling.add(6, message())
    assert not filling.due()
    clock.advance(0.1)
    assert filling.due()


@pytest.mark.parametrize("full", [message(rows=10), message(size=1000)])
def test_rows_or_bytes_make_a_batch_due(full: DecodedMessage) -> None:
    filling = buffer()
    filling.add(5, message())
    assert not filling.due()
    filling.add(6, full)
    assert filling.due()


def test_batches_follow_each_other_without_a_gap() -> None:
    filling = buffer(start=5)
    filling.add(7, message())  # 5 and 6 are no messages of ours, or gone
    assert filling.take().offsets == OffsetRange(0, 5, 8)
    filling.add(9, message())
    assert filling.take().offsets == OffsetRange(0, 8, 10)


def test_the_first_message_ever_is_where_a_partition_starts() -> None:
    filling = buffer(start=None)
    filling.add(3, message())
    assert filling.take().offsets == OffsetRange(0, 3, 4)


def test_rows_are_parted_by_lane_and_the_oldest_arrival_kept() -> None:
    filling = buffer()
    filling.add(5, message(rows=2, lane=1, received_at=300))
    filling.add(6, message(rows=1, lane=0, received_at=200))
    filling.add(7, message(rows=3, lane=1, received_at=400))
    batch = filling.take()
    assert {lane: len(columns) for lane, columns in batch.lanes.items()} == {0: 1, 1: 5}
    assert batch.oldest_received_at == 200


def test_messages_without_rows_move_the_range() -> None:
    filling = buffer()
    filling.add(5, None)
    batch = filling.take()
    assert batch.offsets == OffsetRange(0, 5, 6)
    assert batch.lanes == {}
    assert batch.oldest_received_at is None


def test_a_promised_range_is_repeated_whatever_the_limits_say() -> None:
    clock = ManualClock()
    repeating = buffer(start=5, promised_end=8, clock=clock)
    repeating.add(5, message(rows=50))
    clock.advance(60)
    assert not repeating.due()
    repeating.add(6, message())
    repeating.add(7, message())
    assert repeating.due()
    assert repeating.take().offsets == OffsetRange(0, 5, 8)
    repeating.add(8, message(rows=10))
    assert repeating.due()


def test_a_promised_range_ends_before_a_message_beyond_it() -> None:
    repeating = buffer(start=5, promised_end=8)
    assert not repeating.complete_before(5)
    repeating.add(5, message())
    assert not repeating.complete_before(7)
    assert repeating.complete_before(9)
    assert repeating.take().offsets == OffsetRange(0, 5, 8)


def test_a_promise_about_messages_kafka_has_deleted_is_dropped() -> None:
    repeating = buffer(start=5, promised_end=8)
    repeating.add(20, message())
    assert repeating.take().offsets == OffsetRange(0, 5, 21)


def test_a_partition_that_begins_anew_starts_there() -> None:
    anew = buffer(start=50, promised_end=60)
    anew.add(0, message())
    assert anew.take().offsets == OffsetRange(0, 0, 1)


def test_offsets_never_go_back_within_an_assignment() -> None:
    filling = buffer()
    filling.add(5, message())
    filling.take()
    with pytest.raises(Internal, match="went back from offset 6 to 5"):
        filling.add(5, message())
