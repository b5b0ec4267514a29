"""A topic in memory, with the methods of TopicReader that the live reader and replays use."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

import pytest
from confluent_kafka import KafkaError, Message

from backend.tail import live, lookups, replay
from kit.settings import Settings
from schema.coordinates import TopicId


class TopicInMemory:
    """A reader of `messages`, to which tests append, for each partition."""

    messages: ClassVar[dict[int, list[Message]]] = {0: [], 1: []}
    order: ClassVar[list[int]] = [0, 1]

    def __init__(
        self, _settings: Settings, _on_error: Callable[[KafkaError], None], reports_ends: bool = False
    ) -> None:
        self.reports_ends = reports_ends
        self._next: dict[int, int] = {}

    def partitions(self) -> int:
        return len(self.messages)

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        return {each: (0, len(self.messages[each])) for each in partitions}

    def offsets_at(self, time_ms: Mapping[int, int]) -> dict[int, int]:
        return dict.fromkeys(time_ms, 0)

    def assign(self, offsets: Mapping[int, int]) -> None:
        self._next = dict(offsets)

    def read(self, _seconds: float) -> list[Message]:
        """Returns all messages that are left, those of the first partition in `order` first."""
        found: list[Message] = []
        for partition in sorted(self._next, key=lambda each: self.order.index(each) if each in self.order else each):
            offset = self._next[partition]
            found += self.messages[partition][offset:]
            self._next[partition] = max(offset, len(self.messages[partition]))
        return found

    def close(self) -> None: ...


@contextmanager
def topic_in_memory(monkeypatch: pytest.MonkeyPatch, topic: TopicId) -> Iterator[None]:
    """Lets tails read the topic in memory, which has the id `topic`. Afterwards, it has two empty partitions."""
    for module in (live, lookups, replay):
        monkeypatch.setattr(module, "TopicReader", TopicInMemory)
    for module in (lookups, replay):
        monkeypatch.setattr(module, "topic_id", lambda _reader: topic)
    yield
    TopicInMemory.messages.clear()
    TopicInMemory.messages |= {0: [], 1: []}
