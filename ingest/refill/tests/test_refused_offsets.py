"""Tests that offsets which Kafka refuses for single partitions are not taken for committed ones.

Kafka's client raises no error for them: it returns them with the partitions.
"""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Final, cast

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from ingest.refill import offsets
from ingest.refill.offsets import LoaderOffsets
from kit.errors import Conflict, LogsieveError, Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

GROUP: Final = "logsieve-loader"


class Broker:
    """Broker that answers for partition 0, and refuses partition 1 with an error."""

    def __init__(self, topic: str, code: int) -> None:
        accepted = SimpleNamespace(topic=topic, partition=0, offset=5, error=None)
        refused = SimpleNamespace(topic=topic, partition=1, offset=-1001, error=KafkaError(code))
        self._answer: Future[SimpleNamespace] = Future()
        self._answer.set_result(SimpleNamespace(topic_partitions=[accepted, refused]))

    def alter_consumer_group_offsets(self, *_: object, **_options: object) -> dict[str, Future[SimpleNamespace]]:
        return {GROUP: self._answer}


class Committed:
    """Answers with an error for the second of two partitions."""

    def __init__(self, *_: object) -> None: ...

    def read(self, _partitions: list[int], _seconds: float) -> None:
        raise KafkaException(KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT))

    def close(self) -> None: ...


def loader_offsets(code: int, monkeypatch: pytest.MonkeyPatch) -> LoaderOffsets:
    settings = Settings()
    broker = Broker(settings.kafka_topic, code)
    monkeypatch.setattr(offsets, "admin", lambda _: cast("AdminClient", broker))
    monkeypatch.setattr(TopicIdReader, "describe", lambda _: (TopicId("1" * 32), [0, 1]))
    return LoaderOffsets(settings)


@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        (KafkaError.UNKNOWN_MEMBER_ID, Conflict, "loaders were started before their offsets were written"),
        (KafkaError.OFFSET_METADATA_TOO_LARGE, Unavailable, "written to Kafka"),
    ],
)
def test_a_copy_whose_offsets_are_refused_is_not_used(
    code: int, error: type[LogsieveError], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = [TopicPartition(Settings().kafka_topic, partition, 5) for partition in (0, 1)]

    with pytest.raises(error, match=text):
        loader_offsets(code, monkeypatch).write(GROUP, positions)


def test_a_partition_whose_offset_cannot_be_read_does_not_count_as_one_without_an_offset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(offsets, "CommittedOffsets", Committed)

    with pytest.raises(Unavailable, match="read from"):
        loader_offsets(KafkaError.UNSTABLE_OFFSET_COMMIT, monkeypatch).read(GROUP)
