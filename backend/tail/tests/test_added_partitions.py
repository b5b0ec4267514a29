"""Tests that a tail which resumes after partitions were added still gets the records of its former partitions."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Final

import pytest

from backend.language.parse import parse
from backend.language.print import print_query
from backend.store.query_threads import QueryThreads
from backend.tail import live, lookups, replay
from backend.tail.position import TailPosition, digest_of
from backend.tail.service import TailService
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.topic_in_memory import TopicInMemory
from kit.clock import SystemClock
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import UNCHANGED, partitions_of

TENANT: Final = 1
TOPIC: Final = TopicId("1" * 32)
DIGEST: Final = digest_of(print_query(parse("red")), TENANT)
BEFORE, AFTER = 3, 100
"""Numbers of partitions of the topic before and after some were added."""

FORMER: Final = partitions_of(TENANT, BEFORE)
OLD: Final = min(FORMER - partitions_of(TENANT, AFTER))
"""A partition to which only receivers write that do not know the new partitions yet."""

NEW: Final = min(partitions_of(TENANT, AFTER) - FORMER)
PATIENCE: Final = 60.0


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (live, lookups, replay):
        monkeypatch.setattr(module, "TopicReader", TopicInMemory)
    for module in (lookups, replay):
        monkeypatch.setattr(module, "topic_id", lambda _reader: TOPIC)
    TopicInMemory.messages |= {each: [] for each in range(AFTER)}
    yield
    TopicInMemory.messages.clear()
    TopicInMemory.messages |= {0: [], 1: []}


def append(partition: int, body: str) -> None:
    messages = TopicInMemory.messages[partition]
    messages.append(message_of(TENANT, [body], partition, len(messages)))


def test_records_of_former_partitions_are_sent_before_and_after_the_tail_has_caught_up() -> None:
    """Tests a process that already has a tail of the same query, which does not read the former partitions."""
    clock = SystemClock()
    last = TailPosition(TOPIC.epoch, clock.now_ns(), dict.fromkeys(FORMER, 0)).encode(DIGEST).decode()

    async def use() -> bytes:
        service, text = TailService(Settings(), clock, QueryThreads(clock)), b""
        try:
            await service.open(TENANT, "red", None)
            append(OLD, "red 1")
            append(NEW, "red 2")
            tail = await service.open(TENANT, "red", last)

            async def append_later() -> None:
                while tail.queue.awaits_replay:
                    await asyncio.sleep(0.01)
                append(OLD, "red 3")
                append(NEW, "red 4")

            later = asyncio.create_task(append_later())
            async with asyncio.timeout(PATIENCE), aclosing(service.events(tail, lambda: UNCHANGED)) as events:
                async for piece in events:
                    text += piece
                    if b"red 3" in text and b"red 4" in text:
                        break
            await later
        finally:
            await service.close()
        return text

    text = asyncio.run(use())
    assert [text.count(b"red %d" % number) for number in range(1, 5)] == [1, 1, 1, 1]
    assert b"event: gap" not in text
