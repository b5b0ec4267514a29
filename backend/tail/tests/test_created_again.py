"""Tests that live tails end when their topic was deleted and created again, while all brokers stay reachable."""

import asyncio
from collections.abc import Iterator
from typing import Final

import pytest

from backend.tail import live, lookups
from backend.tail.events import HEARTBEAT_SECONDS
from backend.tail.live import LiveReader
from backend.tail.tests.test_continuing import ChangingTopic, Missing, texts_until
from backend.tail.tests.test_live import BOTH_PARTITIONS, ONE_PARTITION, tail_queue, tailed
from kit.clock import ManualClock
from kit.settings import Settings
from schema.coordinates import TopicId

END: Final = 1_000
FIRST, SECOND = TopicId("1" * 32), TopicId("2" * 32)
TOPICS: Final = {"present": FIRST}


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(live, "TopicReader", ChangingTopic)
    monkeypatch.setattr(lookups, "TopicReader", ChangingTopic)
    monkeypatch.setattr(lookups, "topic_id", lambda _reader: TOPICS["present"])
    monkeypatch.setitem(TOPICS, "present", FIRST)
    ChangingTopic.found |= dict.fromkeys((0, 1), (0, END))
    yield
    ChangingTopic.assigned.clear()


def test_a_check_notices_a_topic_that_has_more_messages_than_the_tails_have_read() -> None:
    clock = ManualClock()

    async def use() -> tuple[bytes, int]:
        reader, tail, query = LiveReader(Settings(), clock), tail_queue(), tailed("one", ONE_PARTITION)
        try:
            await reader.attach(query, tail)
            TOPICS["present"] = SECOND
            clock.advance(HEARTBEAT_SECONDS)
            text = await texts_until(tail, b"event: end")
            return text, (await reader.attach(query, tail_queue())).topic_epoch
        finally:
            await reader.close()

    text, epoch = asyncio.run(use())
    assert b"the topic was deleted and created again" in text
    assert epoch == SECOND.epoch


def test_a_partition_with_fewer_messages_than_the_tails_have_read_ends_all_tails() -> None:
    async def use() -> list[bytes]:
        reader, both, one = LiveReader(Settings(), ManualClock()), tail_queue(), tail_queue()
        try:
            await reader.attach(tailed("both", BOTH_PARTITIONS), both)
            await reader.attach(tailed("one", ONE_PARTITION), one)
            TOPICS["present"] = SECOND
            ChangingTopic.found[1] = (0, 5)
            ChangingTopic.errors.put(Missing(1))
            return [await texts_until(each, b"event: end") for each in (both, one)]
        finally:
            await reader.close()

    for text in asyncio.run(use()):
        assert b"the topic was deleted and created again" in text
        assert b"event: gap" not in text
