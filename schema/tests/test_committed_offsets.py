"""Tests that the offsets of a group are read completely or not at all."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from schema import committed_offsets
from schema.committed_offsets import CommittedOffsets

UNSTABLE = KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT)


class GroupOffsets:
    """Stands for the consumer. Kafka answers with an error of a single partition only for moments, which no test can
    cause at will."""

    faulty: Mapping[int, KafkaError] = {}

    def __init__(self, config: Mapping[str, Any], **_: object) -> None:
        assert config["isolation.level"] == "read_committed", "offsets can be missing after the coordinator has moved"

    def committed(self, wanted: list[TopicPartition], timeout: float) -> list[SimpleNamespace]:
        assert timeout > 0
        return [
            SimpleNamespace(topic=each.topic, partition=each.partition, error=self.faulty.get(each.partition))
            for each in wanted
        ]


@pytest.fixture
def offsets(monkeypatch: pytest.MonkeyPatch) -> CommittedOffsets:
    monkeypatch.setattr(committed_offsets, "Consumer", GroupOffsets)
    return CommittedOffsets({}, "loaders", "logs")


def test_the_named_partitions_are_read(offsets: CommittedOffsets) -> None:
    assert [each.partition for each in offsets.read([1], 1.0)] == [1]


def test_an_error_of_one_partition_is_raised(offsets: CommittedOffsets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GroupOffsets, "faulty", {1: UNSTABLE})

    with pytest.raises(KafkaException) as raised:
        offsets.read([0, 1], 1.0)

    assert raised.value.args[0].code() == KafkaError.UNSTABLE_OFFSET_COMMIT
