"""Tests that a partition for which Kafka has no answer is not taken for one without messages, and that errors say when
tails work again."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from confluent_kafka import OFFSET_END, KafkaError, TopicPartition

from backend.tail import topic_reader
from backend.tail.topic_reader import REQUEST_SECONDS, TopicReader, topic_id
from kit.errors import Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

REFUSED = 1
"""Partition that the broker refuses."""


class Answer(NamedTuple):
    """An answer of offsets_for_times for one partition, in place of TopicPartition, whose error cannot be set."""

    partition: int
    offset: int
    error: KafkaError | None


class RefusingConsumer:
    """A consumer whose broker has become the leader of partition REFUSED a moment ago."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def offsets_for_times(self, requested: Sequence[TopicPartition], _seconds: float) -> list[Answer]:
        refusal = KafkaError(KafkaError.UNKNOWN_LEADER_EPOCH)
        return [
            Answer(each.partition, OFFSET_END, refusal)
            if each.partition == REFUSED
            else Answer(each.partition, each.partition + 10, None)
            for each in requested
        ]


def test_a_partition_that_the_broker_refuses_has_no_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_reader, "Consumer", RefusingConsumer)
    reader = TopicReader(Settings(), lambda _error: None)

    assert reader.offsets_at({0: 5, 2: 5}) == {0: 10, 2: 12}
    with pytest.raises(Unavailable, match="epoch"):
        reader.offsets_at({0: 5, REFUSED: 5})


def test_a_tail_that_cannot_read_the_topic_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def unanswered(_reader: TopicIdReader) -> TopicId:
        raise Unavailable("cannot describe the topic: Local: Timed out")

    monkeypatch.setattr(TopicIdReader, "read", unanswered)
    # Running tails get this text too, so it does not say that a tail cannot begin.
    with pytest.raises(Unavailable, match=r"^Live tails need .*: Local: Timed out. Connect again when Kafka answers"):
        topic_id(TopicIdReader(Settings()))


def test_partitions_are_not_asked_for_one_after_the_other_while_kafka_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    class SilentConsumer(RefusingConsumer):
        def get_watermark_offsets(self, requested: TopicPartition, *, timeout: float) -> None:
            assert timeout == REQUEST_SECONDS
            asked.append(requested.partition)

    monkeypatch.setattr(topic_reader, "Consumer", SilentConsumer)
    with pytest.raises(Unavailable, match="did not answer within 3 s"):
        TopicReader(Settings(), lambda _error: None).ends([0, 1, 2])
    assert asked == [0]
