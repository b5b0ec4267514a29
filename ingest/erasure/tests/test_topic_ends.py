"""Tests that an erasure never takes a topic that a broker cannot describe for one without messages."""

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError

from ingest.erasure import topic_ends
from ingest.erasure.topic_ends import read_ends
from kit.errors import Unavailable
from kit.settings import Settings


def test_ends_are_read_from_no_broker_that_does_not_know_the_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    unknown = SimpleNamespace(error=KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART), partitions={})
    metadata = SimpleNamespace(topics={settings.kafka_topic: unknown})
    consumer = SimpleNamespace(list_topics=lambda _topic, timeout: metadata, close=lambda: None)  # noqa: ARG005
    monkeypatch.setattr(topic_ends, "Consumer", lambda *_, **_options: consumer)
    monkeypatch.setattr(topic_ends, "read_topic_id", lambda _: SimpleNamespace(text="1" * 32))

    with pytest.raises(Unavailable, match="cannot be read"):
        read_ends(settings)
