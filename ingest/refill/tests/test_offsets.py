"""Tests from which offsets the loaders of a copied replica continue."""

import pytest
from confluent_kafka import TopicPartition

from ingest.committed.intent import IntendedRange, OffsetRange, ResumePosition, done
from ingest.refill.offsets import from_the_start, offset_for_copy, require_unchanged
from kit.errors import Conflict
from schema.coordinates import TopicId
from schema.kafka_message import position_of

TOPIC = TopicId("0123456789abcdef" * 2)
LANES = frozenset(range(4))


def resumed(offset: int, metadata: str) -> ResumePosition:
    copied = offset_for_copy(TopicPartition("logs", 3, offset, metadata, leader_epoch=6), TOPIC, LANES)
    assert (copied.topic, copied.partition, copied.offset, copied.leader_epoch) == ("logs", 3, offset, 6)
    return ResumePosition.read(position_of(copied), copied.metadata, TOPIC)


def test_a_finished_range_stays_finished() -> None:
    assert resumed(9, done(TOPIC)) == ResumePosition(9, start_epoch=6)


@pytest.mark.parametrize("split", [frozenset[int](), frozenset({2})])
def test_lanes_of_an_intent_that_are_not_known_to_be_stored_are_looked_up_in_the_tables(split: frozenset[int]) -> None:
    intent = OffsetRange(3, 5, 9, leader_epoch=7).intent(TOPIC, 1, frozenset({0}), split)

    expected = ResumePosition(5, 6, IntendedRange(9, 7, 1, frozenset({0}), frozenset({1, 2, 3})))
    assert resumed(5, intent) == expected


def test_partitions_that_the_source_has_not_read_are_loaded_again_from_the_start() -> None:
    former = [TopicPartition("logs", 3, 9, done(TOPIC)), TopicPartition("logs", 7, 5_000, done(TOPIC))]
    copied = [TopicPartition("logs", 3, 12, done(TOPIC)), TopicPartition("logs", 4, 1, done(TOPIC))]

    (again,) = from_the_start(former, copied)

    assert (again.topic, again.partition, again.offset) == ("logs", 7, 0)
    assert ResumePosition.read(position_of(again), again.metadata, TOPIC) == ResumePosition(0)


@pytest.mark.parametrize(
    "after",
    [
        [TopicPartition("logs", 3, 10, done(TOPIC))],
        [TopicPartition("logs", 3, 9, OffsetRange(3, 9, 12, leader_epoch=7).intent(TOPIC, 1))],
        [TopicPartition("logs", 3, 9, done(TOPIC)), TopicPartition("logs", 4, 0, done(TOPIC))],
    ],
    ids=["a later offset", "an intended insert", "another partition"],
)
def test_a_copy_is_not_used_if_a_loader_ran_meanwhile(after: list[TopicPartition]) -> None:
    before = [TopicPartition("logs", 3, 9, done(TOPIC))]
    require_unchanged(before, [TopicPartition("logs", 3, 9, done(TOPIC))], 1)
    with pytest.raises(Conflict, match="loaders of replica 1 ran during the copy"):
        require_unchanged(before, after, 1)
