"""Detects that the topic was deleted and created again, also when no message arrives.

A fetch does not always show it: librdkafka may wait for the old topic's next message. Deliveries check the topic
themselves (ingest/loader/deliver.py), because a new topic that already has more messages than the old one had looks
like the old one.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from kit.errors import Internal, LogsieveError
from kit.repeating import Repeating
from schema.coordinates import TopicId

SECONDS: Final = 15.0
"""Seconds between two checks."""


def topic_created_again() -> Internal:
    """Returns the error that ends a loader whose topic was created again."""
    return Internal("the topic was deleted and created again; the loader ends and must be started again")


class TopicWatch(Repeating):
    """Reads the topic's id from Kafka periodically. `seen` is the last answer, None before the first one."""

    def __init__(self, read: Callable[[], TopicId]) -> None:
        super().__init__("topic-watch", SECONDS)
        self._read = read
        self.seen: TopicId | None = None

    def run_once(self) -> None:
        # Kafka or the topic may be temporarily missing.
        with suppress(LogsieveError):
            self.seen = self._read()
