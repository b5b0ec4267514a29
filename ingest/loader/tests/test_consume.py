"""Tests of what the loader's consumer waits for, with fakes of Kafka's."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition
from structlog.testing import capture_logs

from ingest.loader import consume
from ingest.loader.consume import TopicConsumer
from ingest.loader.positions import Start
from ingest.loader.starting import RETRY_SECONDS
from kit.clock import ManualClock
from kit.settings import Settings


def new_consumer() -> TopicConsumer:
    return TopicConsumer(Settings(), lambda _: None, lambda _: None, lambda _number, _why: None, ManualClock())


class ArrivedMessage:
    """Fake of a message at an offset of a partition."""

    def __init__(self, offset: int, partition: int = 0) -> None:
        self._offset = offset
        self._partition = partition

    def partition(self) -> int:
        return self._partition

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
    consumer = new_consumer()

    assert [message.offset() for message in consumer.wait(60)] == [0, 1, 2]
    assert consumer.wait(0) == []


def test_the_end_of_a_partition_comes_after_its_messages_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "Consumer", WaitingConsumer)
    consumer = new_consumer()
    end: Any = Message(partition=0, offset=3, error=KafkaError(KafkaError._PARTITION_EOF))
    arrived: list[ArrivedMessage] = consumer._consumer.arrived  # type: ignore[attr-defined]  # of the fake
    arrived.append(end)
    with capture_logs() as lines:
        assert [message.offset() for message in consumer.wait(60)] == [0, 1, 2, 3]
    assert lines == []


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
        self.calls.append(f"unassign {len(partitions)}")


def test_a_paused_partition_is_resumed_before_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "Consumer", OwnConsumer)
    consumer = new_consumer()
    consumer.pause_only({0})
    consumer.poll(0)
    consumer.pause_only(set())
    assert OwnConsumer.calls == ["pause 0", "resume 0", "unassign 0"], "it was never assigned to Kafka's client"


class UnansweredConsumer:
    """Fake of a consumer that gets partition 0, for which no broker answers, and then messages."""

    assigned: ClassVar[list[int]] = []
    requested: ClassVar[list[int]] = []

    def __init__(self, *_: object, **__: object) -> None:
        self.assigned.clear()
        self.requested.clear()
        self._polls = 0

    def subscribe(
        self, _: object, on_assign: Callable[..., None], on_revoke: Callable[..., None], **__: object
    ) -> None:
        self._on_assign, self._on_revoke = on_assign, on_revoke

    def consume(self, _: int, **__: float) -> list[ArrivedMessage]:
        self._polls += 1
        if self._polls == 1:
            self._on_assign(self, [TopicPartition("logs", 0)])
        if self._polls == 3:
            self._on_revoke(self, [TopicPartition("logs", 0)])
        return [ArrivedMessage(self._polls, partition=0), ArrivedMessage(self._polls, partition=1)]

    def committed(self, partitions: list[TopicPartition], **__: float) -> None:
        self.requested.extend(each.partition for each in partitions)
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        self.assigned.extend(each.partition for each in partitions)

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        assert not partitions


def test_a_loader_continues_without_the_partition_that_kafka_does_not_answer_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consume, "Consumer", UnansweredConsumer)
    problems: dict[int, str | None] = {}
    assigned: list[Start] = []
    revoked: list[int] = []
    clock = ManualClock()
    consumer = TopicConsumer(Settings(), assigned.append, revoked.append, problems.__setitem__, clock)

    for poll in (1, 2):
        assert [(each.partition(), each.offset()) for each in consumer.poll(0)] == [(1, poll)]
        assert UnansweredConsumer.requested == [0] * poll
        clock.advance(RETRY_SECONDS)
    assert UnansweredConsumer.assigned == []
    assert assigned == []
    assert "timed out" in str(problems[0]).lower()

    consumer.poll(0)
    assert revoked == [0]
