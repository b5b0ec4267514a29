"""The messages that a consumer has fetched together, given out one by one."""

from collections import deque
from collections.abc import Mapping

from confluent_kafka import Message

from backend.tail.topic_reader import TopicReader


class Fetched:
    """Gives out the messages of a reader one by one, so that its user can do other work between two of them."""

    def __init__(self, reader: TopicReader) -> None:
        self._reader = reader
        self._messages: deque[Message] = deque()

    def fetch(self, seconds: float) -> None:
        """Waits at most `seconds` for messages or errors, unless some are left."""
        if not self._messages:
            self._messages.extend(self._reader.read(seconds))

    def next(self) -> Message | None:
        """Returns the next message or error that was fetched, and None if none is left."""
        return self._messages.popleft() if self._messages else None

    def assign(self, offsets: Mapping[int, int]) -> None:
        """Reads all partitions from these offsets. Messages that were not given out are dropped and read again."""
        self._messages.clear()
        self._reader.assign(offsets)

    def close(self) -> None:
        self._reader.close()
