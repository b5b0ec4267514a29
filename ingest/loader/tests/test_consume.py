"""Tests that a stopping loader does not wait for Kafka."""

import threading
from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from ingest.loader import consume
from ingest.loader.consume import TopicConsumer
from ingest.loader.standstill import STANDSTILL_SECONDS, StandstillWatch
from kit.clock import ManualClock
from kit.settings import Settings


class UnansweredConsumer:
    """Fake of a consumer that gets a partition and then no answer from Kafka. It can be asked twice."""

    clock = ManualClock()

    def __init__(self, *_: object, **__: object) -> None:
        self._asked = 0

    def subscribe(self, _: object, on_assign: Callable[..., None], **__: object) -> None:
        self._on_assign = on_assign

    def consume(self, _: int, **__: float) -> list[object]:
        self._on_assign(self, [TopicPartition("logs", 0)])
        return []

    def committed(self, _: object, **__: float) -> None:
        self._asked += 1
        assert self._asked <= 2, "the loader goes on asking"
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
