"""Tests that the end of an API process does not wait for Kafka."""

import threading

import pytest

from backend.tail import lookups
from backend.tail.lookups import Found, Lookups
from backend.tail.tests.topic_in_memory import TopicInMemory
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

PATIENCE = 20.0


def test_the_end_does_not_wait_for_a_request_that_kafka_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    is_asked, may_answer, is_closed = threading.Event(), threading.Event(), threading.Event()

    class SilentTopic(TopicInMemory):
        def partitions(self) -> int:
            is_asked.set()
            may_answer.wait()
            return super().partitions()

        def close(self) -> None:
            is_closed.set()

    found: list[Found | LogsieveError] = []
    monkeypatch.setattr(lookups, "TopicReader", SilentTopic)
    monkeypatch.setattr(TopicIdReader, "read", lambda _reader: TopicId("00" * 16))
    looking = Lookups(Settings())
    try:
        looking.topic(found.append)
        looking.topic(found.append)
        assert is_asked.wait(PATIENCE)
        closing = threading.Thread(target=looking.close)
        closing.start()
        closing.join(PATIENCE)
        assert not closing.is_alive()
        assert not is_closed.is_set(), "the request still uses the consumer"
    finally:
        may_answer.set()
    assert is_closed.wait(PATIENCE)
    assert len(found) == 1, "the request that had not started is dropped"
