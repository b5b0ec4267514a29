"""Tests that a tail which resumes after partitions were added still gets the records of its former partitions."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Final

import pytest

from backend.language.parse import parse
from backend.language.print import print_query
from backend.store.query_threads import QueryThreads
from backend.tail.position import TailPosition, digest_of, read_tail_position
from backend.tail.service import TailService
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.topic_in_memory import TopicInMemory, topic_in_memory
from kit.clock import SystemClock
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import UNCHANGED, partitions_of

TENANT: Final = 1
TOPIC: Final = TopicId("1" * 32)
DIGEST: Final = digest_of(print_query(parse("red")), TENANT)
BEFORE, BETWEEN, AFTER = 3, 50, 100
"""Numbers of partitions of the topic before some were added, after the first addition, and after the second."""

FORMER: Final = partitions_of(TENANT, BEFORE)
OLD: Final = min(FORMER - partitions_of(TENANT, AFTER))
"""A partition to which only receivers write that do not know the new partitions yet."""

NEW: Final = min(partitions_of(TENANT, AFTER) - FORMER)
ADDED_FIRST: Final = min(partitions_of(TENANT, BETWEEN) - FORMER - partitions_of(TENANT, AFTER))
"""A partition that the tenant's messages use only between the two additions."""

PATIENCE: Final = 60.0


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with topic_in_memory(monkeypatch, TOPIC):
        yield


def add_partitions(count: int) -> None:
    """Adds partitions to the topic until it has this many."""
    for partition in range(count):
        TopicInMemory.messages.setdefault(partition, [])


def append(partition: int, body: str) -> None:
    messages = TopicInMemory.messages[partition]
    messages.append(message_of(TENANT, [body], partition, len(messages)))


def id_of(offsets: dict[int, int]) -> str:
    return TailPosition(TOPIC.epoch, SystemClock().now_ns(), offsets).encode(DIGEST).decode()


async def resumed(service: TailService, last: str, later: dict[str, int], awaited: bytes) -> str:
    """Resumes a tail and returns its events until one contains `awaited`.

    `later` has bodies and partitions of records that are appended when the tail has caught up.
    """
    tail, text = await service.open(TENANT, "red", last), b""

    async def append_later() -> None:
        while tail.queue.awaits_replay:
            await asyncio.sleep(0.01)
        for body, partition in later.items():
            append(partition, body)

    appending = asyncio.create_task(append_later())
    async with asyncio.timeout(PATIENCE), aclosing(service.events(tail, lambda: UNCHANGED)) as events:
        async for piece in events:
            text += piece
            if awaited in text:
                break
    await appending
    return text.decode()


def last_id(text: str) -> str:
    return text.rpartition("id: ")[2].split("\n")[0]


def test_records_of_former_partitions_are_sent_until_the_tail_has_caught_up() -> None:
    """Tests a process that already has a tail of the same query, which does not read the former partitions."""
    add_partitions(AFTER)
    clock = SystemClock()

    async def use() -> str:
        service = TailService(Settings(), clock, QueryThreads(clock))
        try:
            await service.open(TENANT, "red", None)
            append(OLD, "red 1")
            append(NEW, "red 2")
            return await resumed(service, id_of(dict.fromkeys(FORMER, 0)), {"red 3": OLD, "red 4": NEW}, b"red 4")
        finally:
            await service.close()

    text = asyncio.run(use())
    assert [text.count(f"red {number}") for number in range(1, 5)] == [1, 1, 0, 1]
    assert "event: gap" not in text
    assert read_tail_position(last_id(text), DIGEST).offsets.keys() == partitions_of(TENANT, AFTER)


def test_a_tail_that_resumes_after_two_additions_gets_the_records_of_partitions_added_first() -> None:
    async def use(last: str, later: dict[str, int], awaited: bytes) -> str:
        clock = SystemClock()
        service = TailService(Settings(), clock, QueryThreads(clock))
        try:
            return await resumed(service, last, later, awaited)
        finally:
            await service.close()

    add_partitions(BETWEEN)
    append(OLD, "red 1")
    text = asyncio.run(use(id_of(dict.fromkeys(FORMER, 0)), {"red 2": ADDED_FIRST}, b"red 2"))
    append(ADDED_FIRST, "red 3")
    text += asyncio.run(use(last_id(text), {"red 4": ADDED_FIRST}, b"red 4"))
    append(ADDED_FIRST, "red 5")
    add_partitions(AFTER)
    text += asyncio.run(use(last_id(text), {"red 6": NEW}, b"red 6"))

    assert [text.count(f"red {number}") for number in range(1, 7)] == [1] * 6
    assert "event: gap" not in text
