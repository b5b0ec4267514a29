"""Fake of the part of Kafka's client that assigns partitions, with the client's own rules, and of Kafka's answers."""

from collections.abc import Collection
from dataclasses import dataclass, field

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from ingest.committed.intent import OffsetRange, done
from ingest.loader import positions
from schema.coordinates import LogPosition, TopicId
from schema.kafka_message import position_of
from schema.topic import TopicIdReader

TOPIC = TopicId("0123456789abcdef" * 2)
EPOCH = 3
NO_LEADER = "Broker: Leader not available"


@dataclass
class AssigningConsumer:
    """Fake of a consumer. Each partition has the committed offset 5 and the end 9, unless a test changes them.

    `leader_epoch` is that of the present leaders. With `intended_end`, all committed positions have the intent of a
    range up to this offset, which a leader of EPOCH wrote.
    `assigned` has the positions of the partitions that the client fetches, `sought` all seeks. `calls` counts the calls
    that answer a callback of a rebalance. `leaderless` are partitions without a leader, `idle` those that the client
    does not begin to fetch.
    """

    committed_at: dict[int, LogPosition] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    leader_epoch: int = EPOCH
    intended_end: int | None = None
    topic: TopicId = TOPIC
    leaderless: set[int] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)
    is_unreachable: bool = False
    assigned: dict[int, LogPosition] = field(default_factory=dict)
    sought: list[tuple[int, LogPosition]] = field(default_factory=list)
    requested: int = 0
    calls: int = 0

    def committed(self, partitions: list[TopicPartition], **_: float) -> list[TopicPartition]:
        self.requested += 1
        if self.is_unreachable:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        answers = []
        for each in partitions:
            position = self.committed_at.get(each.partition, LogPosition(5, EPOCH))
            metadata = done(TOPIC)
            if self.intended_end is not None:
                metadata = OffsetRange(each.partition, position.offset, self.intended_end, EPOCH).intent(TOPIC, 0)
            answers.append(TopicPartition(each.topic, each.partition, position.offset, metadata, position.leader_epoch))
        return answers

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        self.calls += 1
        for each in partitions:
            assert each.partition not in self.assigned, "Kafka's client refuses to assign a partition twice"
            self.assigned[each.partition] = position_of(each)

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        self.calls += 1
        for each in partitions:
            assert each.partition in self.assigned, "Kafka's client refuses to unassign what is not assigned"
            del self.assigned[each.partition]

    def seek(self, partition: TopicPartition) -> None:
        self.sought.append((partition.partition, position_of(partition)))
        assert partition.partition in self.assigned
        if partition.partition in self.idle:
            raise KafkaException(KafkaError(KafkaError._STATE))

    def answer_instead_of_kafka(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Makes a PositionReader receive the ends of partitions and the topic's id from this fake."""

        def read_offsets(
            _client: object, _topic: str, partitions: Collection[int], _which: object, _seconds: float
        ) -> tuple[dict[int, LogPosition], dict[int, str]]:
            led = [each for each in partitions if each not in self.leaderless]
            lacking = self.leaderless.intersection(partitions)
            ends = {each: LogPosition(self.ends.get(each, 9), self.leader_epoch) for each in led}
            return ends, dict.fromkeys(lacking, NO_LEADER)

        monkeypatch.setattr(positions, "read_offsets", read_offsets)
        monkeypatch.setattr(TopicIdReader, "read", lambda _self: self.topic)
