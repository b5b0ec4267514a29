"""Notices that the topic was deleted and created again. A fetch does not always tell: librdkafka may wait for the old
topic's next message, and a new topic that has more messages already looks like the old one."""

import threading
from typing import Final

from kit.errors import LogsieveError
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import read_topic_id

SECONDS: Final = 15.0
"""Between two looks."""


class TopicWatch:
    """A thread that asks Kafka for the topic's id; `seen` is the last answer, None before one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.seen: TopicId | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="topic-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Does not wait for an answer that is on its way."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(SECONDS):
            try:
                self.seen = read_topic_id(self._settings)
            except LogsieveError:
                # Kafka is away, or the topic is, for now.
                continue
