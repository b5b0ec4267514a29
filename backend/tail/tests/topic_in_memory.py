"""A topic in memory, with the methods of TopicReader that the live reader and replays use."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from confluent_kafka import KafkaError, Message

from kit.settings import Settings


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
