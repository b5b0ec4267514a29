"""Tests what a reading of the replicas' offsets says after the topic was created again."""

import asyncio
from collections.abc import Sequence

import pytest
from confluent_kafka import TopicPartition

from backend.store.replicas import reach
from backend.store.replicas.reach import Reach, ReachReader
from ingest.committed.intent import OffsetRange, done
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

FIRST, AGAIN = TopicId("1" * 32), TopicId("2" * 32)
NOTHING_COMMITTED = -1001
SETTINGS = Settings(clickhouse_url="http://a:1|http://b:1")


def test_each_reading_reads_the_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = FIRST
    intent = OffsetRange(0, 5, 9, leader_epoch=1).intent(AGAIN, 0)

    class Committed:
        def __init__(self, _connection: object, group: str, _topic: str) -> None:
            self._metadata = intent if group == SETTINGS.of_replica(1).consumer_group else done(FIRST)

        def read(self, _partitions: Sequence[int], _seconds: float) -> Sequence[TopicPartition]:
            return [TopicPartition("logs", 0, 5, self._metadata), TopicPartition("logs", 1, NOTHING_COMMITTED)]

        def close(self) -> None: ...

    monkeypatch.setattr(TopicIdReader, "describe", lambda _: (topic, [0, 1]))
    monkeypatch.setattr(reach, "CommittedOffsets", Committed)
    reader = ReachReader(SETTINGS)
    try:
        before = asyncio.run(reader.read())
        topic = AGAIN
        after = asyncio.run(reader.read())
    finally:
        reader.close()
    assert before == (Reach({0: 5}, {0: 5}, FIRST.epoch), Reach({0: 0}, {0: 0}, FIRST.epoch))
    assert after == (Reach({0: 0}, {0: 0}, AGAIN.epoch), Reach({0: 5}, {0: 9}, AGAIN.epoch))
