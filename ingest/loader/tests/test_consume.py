"""Tests of what the loader's consumer waits for, with fakes of Kafka's."""

import threading
from collections.abc import Callable
from typing import ClassVar

import pytest
from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition

from ingest.loader import consume
from ingest.loader.consume import Assignment, TopicConsumer
from ingest.loader.intent import done
from ingest.loader.standstill import STANDSTILL_SECONDS, StandstillWatch
from kit.clock import ManualClock
from kit.settings import Settings
from schema.coordinates import LogPosition, TopicId
from schema.kafka_message import position_of

TOPIC = TopicId("0123456789abcdef" * 2)


class UnansweredConsumer:
    """Fake of a consumer that gets a partition and then no answer from Kafka. It accepts two requests."""

    clock = ManualClock()

    def __init__(self, *_: object, **__: object) -> None:
        self._requested = 0

    def subscribe(self, _: object, on_assign: Callable[..., None], **__: object) -> None:
        self._on_assign = on_assign

    def consume(self, _: int, **__: float) -> list[object]:
        self._on_assign(self, [TopicPartition("logs", 0)])
        return []

    def committed(self, _: object, **__: float) -> None:
        self._requested += 1
        assert self._requested <= 2, "the loader goes on sending requests"
        self.clock.advance(STANDSTILL_SECONDS)
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))


def test_a_loader_that_stood_still_does_not_wait_for_its_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "Consumer", UnansweredConsumer)
    monkeypatch.setattr(consume, "RETRY_SECONDS", 0.0)
    standstill = StandstillWatch(UnansweredConsumer.clock)
    assigned: list[object] = []

    consumer = TopicConsumer(Settings(), assigned.append, lambda _: None, threading.Event(), standstill)

    assert consumer.poll(0.1) == []
    assert standstill.stood_still
    assert assigned == []


class ArrivedMessage:
    """Fake of a message at an offset of partition 0."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self._offset

    def error(self) -> None:
        return None


class WaitingConsumer:
    """Fake of a consumer to which messages come. Fails when a call would wait although a message is there."""

    def __init__(self, *_: object, **__: object) -> None:
        self.arrived = [ArrivedMessage(offset) for offset in range(3)]

    def subscribe(self, *_: object, **__: object) -> None:
        pass

    def poll(self, _: float) -> ArrivedMessage | None:
        return self.arrived.pop(0) if self.arrived else None

    def consume(self, messages: int, timeout: float) -> list[ArrivedMessage]:
        assert timeout == 0, "Kafka's `consume` would wait for more messages until its time is up"
        taken, self.arrived = self.arrived[:messages], self.arrived[messages:]
        return taken


def test_the_first_message_ends_the_wait_and_comes_with_those_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "Consumer", WaitingConsumer)
    consumer = TopicConsumer(
        Settings(), lambda _: None, lambda _: None, threading.Event(), StandstillWatch(ManualClock())
    )

    assert [message.offset() for message in consumer.wait(60)] == [0, 1, 2]
    assert consumer.wait(0) == []


class OwnConsumer:
    """Fake of a consumer that owns partition 0. Records the calls that change what is fetched."""

    calls: ClassVar[list[str]] = []

    def __init__(self, *_: object, **__: object) -> None:
        self.calls.clear()

    def subscribe(self, _: object, on_revoke: Callable[..., None], **__: object) -> None:
        self._on_revoke = on_revoke

    def consume(self, _: int, **__: float) -> list[object]:
        self._on_revoke(self, [TopicPartition("logs", 0)])
        return []

    def pause(self, partitions: list[TopicPartition]) -> None:
        self.calls.extend(f"pause {each.partition}" for each in partitions)

    def resume(self, partitions: list[TopicPartition]) -> None:
        self.calls.extend(f"resume {each.partition}" for each in partitions)

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        self.calls.extend(f"unassign {each.partition}" for each in partitions)


def test_a_paused_partition_is_resumed_before_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "Consumer", OwnConsumer)
    consumer = TopicConsumer(
        Settings(), lambda _: None, lambda _: None, threading.Event(), StandstillWatch(ManualClock())
    )
    consumer.pause_only({0})
    consumer.poll(0)
    consumer.pause_only(set())
    assert OwnConsumer.calls == ["pause 0", "resume 0", "unassign 0"]


class ShortenedConsumer:
    """Fake of a consumer that gets partition 0, whose committed offset is after the end. Its first seek fails."""

    made: ClassVar["ShortenedConsumer"]

    def __init__(self, *_: object, **__: object) -> None:
        self.assigned: list[LogPosition] = []
        self.sought: list[LogPosition] = []
        self._is_started = False
        type(self).made = self

    def subscribe(self, _: object, on_assign: Callable[..., None], **__: object) -> None:
        self._on_assign = on_assign

    def consume(self, _: int, **__: float) -> list[object]:
        self._on_assign(self, [TopicPartition("logs", 0), TopicPartition("logs", 1)])
        return []

    def committed(self, _: object, **__: float) -> list[TopicPartition]:
        return [TopicPartition("logs", 0, 9, done(TOPIC), 3), TopicPartition("logs", 1, -1001)]

    def get_watermark_offsets(self, partition: TopicPartition, **__: float) -> tuple[int, int]:
        assert partition.partition == 0
        return 0, 5

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        self.assigned += map(position_of, partitions)

    def seek(self, partition: TopicPartition) -> None:
        if not self._is_started:
            self._is_started = True
            raise KafkaException(KafkaError(KafkaError._STATE))
        self.sought.append(position_of(partition))


def test_a_loader_does_not_start_after_the_end_and_lets_the_broker_compare_the_leader_epoch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consume, "Consumer", ShortenedConsumer)
    monkeypatch.setattr(consume, "SEEK_SECONDS", 0.0)
    monkeypatch.setattr(consume, "read_topic_id", lambda _: TOPIC)
    monkeypatch.setattr(consume, "read_low_watermarks", lambda _settings, _partitions: {})
    assigned: list[Assignment] = []
    consumer = TopicConsumer(
        Settings(), assigned.append, lambda _: None, threading.Event(), StandstillWatch(ManualClock())
    )

    assert consumer.poll(0.1) == []

    assert ShortenedConsumer.made.assigned == [LogPosition(5, 3), LogPosition(OFFSET_BEGINNING)]
    assert ShortenedConsumer.made.sought == [LogPosition(5, 3)]
    assert [each.position.start for each in assigned] == [9, None], "what was committed stays known"
