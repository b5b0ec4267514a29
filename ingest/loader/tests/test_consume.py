"""Tests of what the loader's consumer waits for, with fakes of Kafka's."""

import threading
from collections.abc import Callable
from typing import ClassVar

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from ingest.loader import consume
from ingest.loader.consume import TopicConsumer
from ingest.loader.standstill import STANDSTILL_SECONDS, StandstillWatch
from kit.clock import ManualClock
from kit.settings import Settings


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
