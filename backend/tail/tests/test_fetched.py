"""Tests that messages that were fetched before an assignment do not come after it."""

from collections.abc import Mapping
from typing import cast

from confluent_kafka import Message

from backend.tail.fetched import Fetched
from backend.tail.topic_reader import TopicReader


class TenMessages:
    """A partition of ten messages, whose reader returns five at once."""

    def __init__(self) -> None:
        self._next = 0

    def read(self, _seconds: float) -> list[Message]:
        first, self._next = self._next, min(self._next + 5, 10)
        return [Message(partition=0, offset=each) for each in range(first, self._next)]

    def assign(self, offsets: Mapping[int, int]) -> None:
        self._next = offsets[0]


def next_offset(fetched: Fetched) -> int | None:
    fetched.fetch(0)
    message = fetched.next()
    return None if message is None else message.offset()


def test_messages_come_one_by_one() -> None:
    fetched = Fetched(cast(TopicReader, TenMessages()))
    assert [next_offset(fetched) for _ in range(11)] == [*range(10), None]


def test_an_assignment_drops_what_was_fetched() -> None:
    fetched = Fetched(cast(TopicReader, TenMessages()))
    assert [next_offset(fetched) for _ in range(2)] == [0, 1]
    fetched.assign({0: 8})
    assert [next_offset(fetched) for _ in range(3)] == [8, 9, None]
