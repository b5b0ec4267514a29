"""Fake of the dead-letter topic, and of the producer that puts its letters back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import pytest
from confluent_kafka import KafkaError, KafkaException, Message

from ingest.dead import read, replay
from kit.settings import Settings
from schema.dead_letter import DeadLetter, Origin
from schema.kafka_message import Headers


@dataclass(frozen=True)
class Stored:
    """Message of the topic. Its time is its place in the topic."""

    at_ms: int
    headers_: Headers
    value_: bytes | None

    def key(self) -> None:
        return None

    def value(self) -> bytes | None:
        return self.value_

    def headers(self) -> Headers:
        return self.headers_

    def timestamp(self) -> tuple[int, int]:
        return 1, self.at_ms


@dataclass
class DeadTopic:
    """The messages of the topic, and the values that a replay sent to the topic of logs."""

    stored: list[Stored] = field(default_factory=list)
    put_back: list[bytes | None] = field(default_factory=list)
    readings: int = 0
    refuses: bool = False
    """Makes each commit of a transaction fail."""
    aborted: int = 0
    config: dict[str, str | int] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def installed(cls, monkeypatch: pytest.MonkeyPatch) -> "DeadTopic":
        """Returns a topic that takes the place of Kafka's in ingest.dead."""
        topic = cls()
        monkeypatch.setattr(read, "read_messages", topic.read)
        monkeypatch.setattr(replay, "Producer", topic.configured)
        return topic

    def configured(self, config: dict[str, str | int], **_options: object) -> "DeadTopic":
        self.config = config
        return self

    def write(self, origin: Origin, value: bytes) -> None:
        letter = DeadLetter(origin, "envelope", "why", None, [], value)
        self._append(letter.to_headers(), value)

    def read(self, _settings: Settings) -> Iterator[Message]:
        self.readings += 1
        yield from cast(list[Message], list(self.stored))

    def init_transactions(self, _seconds: float) -> None:
        pass

    def begin_transaction(self) -> None:
        pass

    def produce(self, topic: str, value: bytes | None, key: bytes | None, headers: Headers) -> None:
        if topic == self.settings.kafka_dead_topic:
            assert key is not None, "a marker has the key of its origin"
            self._append(headers, value)
        else:
            self.put_back.append(value)

    def commit_transaction(self, _seconds: float) -> None:
        if self.refuses:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    def abort_transaction(self, _seconds: float) -> None:
        self.aborted += 1
        raise KafkaException(KafkaError(KafkaError._STATE))

    def _append(self, headers: Headers, value: bytes | None) -> None:
        self.stored.append(Stored(len(self.stored), headers, value))
