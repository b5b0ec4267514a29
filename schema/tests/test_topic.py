"""Tests with which settings topics are created, and that existing topics keep those of their operators."""

from concurrent.futures import Future

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cimpl import NewTopic

from kit.settings import Settings
from schema import topic
from schema.topic import DEAD_RETENTION_BYTES, ensure_topics

SETTINGS = Settings()


class Broker:
    """A broker with these topics. It can only create topics, so that a call which changes one fails."""

    def __init__(self, existing: frozenset[str] = frozenset()) -> None:
        self._existing = existing
        self.created: dict[str, dict[str, str]] = {}

    def create_topics(self, topics: list[NewTopic], **_: float) -> dict[str, Future[None]]:
        return {each.topic: self._create(each) for each in topics}

    def _create(self, wanted: NewTopic) -> Future[None]:
        result = Future[None]()
        if wanted.topic in self._existing:
            result.set_exception(KafkaException(KafkaError(KafkaError.TOPIC_ALREADY_EXISTS)))
        else:
            self.created[wanted.topic] = wanted.config or {}
            result.set_result(None)
        return result


def ensured(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    monkeypatch.setattr(topic, "admin", lambda *_: broker)
    ensure_topics(SETTINGS)
    return broker.created


def test_dead_letters_have_a_bound_and_logs_have_that_of_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    created = ensured(Broker(), monkeypatch)
    assert created[SETTINGS.kafka_dead_topic]["retention.bytes"] == str(DEAD_RETENTION_BYTES)
    assert DEAD_RETENTION_BYTES > 0
    assert "retention.bytes" not in created[SETTINGS.kafka_topic]


def test_an_existing_topic_of_dead_letters_stays_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(ensured(Broker(frozenset({SETTINGS.kafka_dead_topic})), monkeypatch)) == {SETTINGS.kafka_topic}
