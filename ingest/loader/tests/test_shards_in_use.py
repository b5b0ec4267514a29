"""Tests that a loader counts the shards of its partitions as in use, from their assignment until they are revoked."""

from collections.abc import Callable, Collection
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from ingest.committed.intent import IntendedRange, ResumePosition
from ingest.loader import loop
from ingest.loader.loop import Loader
from ingest.loader.positions import Start
from ingest.loader.state import LoaderState
from kit.clock import ManualClock
from kit.settings import Settings

SHARDS = Settings(clickhouse_url="http://a:8123,http://b:8123,http://c:8123")


class Rebalancing:
    """Takes the place of the consumer. Has the loader's callbacks."""

    def __init__(
        self, _settings: Settings, assigned: Callable[[Start], None], revoked: Callable[[int], None], *_: Any
    ) -> None:
        self.assigned, self.revoked = assigned, revoked

    def commit(self) -> None:
        """Commits nothing."""


def start(partition: int, position: ResumePosition) -> Start:
    return Start(position, TopicPartition("logs", partition, 5), 0.0)


class Used:
    """Takes the place of the inserter. Notes the shards in use."""

    shards: Collection[int] = ()

    def use_only(self, shards: Collection[int]) -> None:
        self.shards = shards


def test_shards_are_in_use_while_a_partition_of_them_is_assigned(monkeypatch: pytest.MonkeyPatch) -> None:
    used, consumers = Used(), list[Rebalancing]()

    def consume(*given: Any) -> Rebalancing:
        consumers.append(Rebalancing(*given))
        return consumers[0]

    monkeypatch.setattr(loop, "TopicConsumer", consume)
    monkeypatch.setattr(loop, "Inserter", lambda *_: used)
    monkeypatch.setattr(loop, "DeadLetterProducer", lambda _: None)
    Loader(SHARDS, ManualClock(0), LoaderState())
    [consumer] = consumers

    consumer.assigned(start(0, ResumePosition(5)))
    consumer.assigned(start(3, ResumePosition(5)))
    assert used.shards == {0}
    # An earlier owner began a range on shard 2, before the partition's messages went to shard 1.
    consumer.assigned(start(1, ResumePosition(5, intended=IntendedRange(7, shard=2))))
    assert used.shards == {0, 1, 2}
    consumer.revoked(1)
    assert used.shards == {0}
    consumer.revoked(0)
    assert used.shards == {0}
    consumer.revoked(3)
    assert used.shards == set()
