"""Tests that the offsets of a group are read completely or not at all."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from schema.committed_offsets import committed_offsets


class GroupOffsets:
    """Stands for the admin client. Kafka answers with an error of a single partition only for moments, which no test
    can cause at will."""

    def __init__(self, *positions: SimpleNamespace) -> None:
        self._positions = positions

    def list_consumer_group_offsets(self, groups: list[Any], request_timeout: float) -> dict[str, Future[Any]]:
        assert request_timeout > 0
        answer: Future[Any] = Future()
        answer.set_result(SimpleNamespace(topic_partitions=list(self._positions)))
        return {groups[0].group_id: answer}


def position(topic: str, partition: int, error: KafkaError | None = None) -> SimpleNamespace:
    return SimpleNamespace(topic=topic, partition=partition, offset=-1001 if error else 5, error=error)


def read(*positions: SimpleNamespace) -> list[int]:
    found = committed_offsets(cast(AdminClient, GroupOffsets(*positions)), "loaders", "logs", 1.0)
    return [each.partition for each in found]


def test_only_partitions_of_the_topic_are_returned() -> None:
    assert read(position("logs", 0), position("other", 1), position("logs", 2)) == [0, 2]


def test_an_error_of_one_partition_is_raised() -> None:
    unstable = KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT)

    with pytest.raises(KafkaException) as raised:
        read(position("logs", 0), position("logs", 1, unstable))

    assert raised.value.args[0].code() == KafkaError.UNSTABLE_OFFSET_COMMIT


def test_an_error_of_another_topic_is_ignored() -> None:
    assert read(position("logs", 0), position("other", 0, KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT))) == [0]
