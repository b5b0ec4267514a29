"""Detects that the topic was deleted and created again.

A fetch does not always show it: librdkafka may wait for the old topic's next message, and a new topic that has more
messages already looks like the old one.
"""

from contextlib import suppress
from typing import Final

from kit.errors import LogsieveError
from kit.repeating import Repeating
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import read_topic_id

SECONDS: Final = 15.0
"""Seconds between two checks."""


class TopicWatch(Repeating):
    """Reads the topic's id from Kafka periodically. `seen` is the last answer, None before the first one."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("topic-watch", SECONDS)
        self._settings = settings
        self.seen: TopicId | None = None

    def run_once(self) -> None:
        # Kafka or the topic may be temporarily missing.
        with suppress(LogsieveError):
            self.seen = read_topic_id(self._settings)
