"""Tests that a resumed tail gets no record twice from a process that has not read the tail's last event yet."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import ClassVar, Final

import pytest
from confluent_kafka import Message

from backend.language.parse import parse
from backend.language.print import print_query
from backend.store.query_threads import QueryThreads
from backend.tail import live
from backend.tail.group import TailedQuery
from backend.tail.handover import POSITION_SECONDS
from backend.tail.live import LiveReader
from backend.tail.position import TailPosition, digest_of
from backend.tail.queue import TailQueue
from backend.tail.service import OpenTail, TailService
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.topic_in_memory import TopicInMemory, topic_in_memory
from kit.clock import Clock, ManualClock, SystemClock
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import UNCHANGED

TENANT: Final = 1
TOPIC: Final = TopicId("1" * 32)
DIGEST: Final = digest_of(print_query(parse("red")), TENANT)
PATIENCE: Final = 60.0


class BehindReader(TopicInMemory):
    """Reader of live tails that gets no message until `may_read` is set."""

    may_read: ClassVar[threading.Event] = threading.Event()

    def read(self, seconds: float) -> list[Message]:
        return super().read(seconds) if self.may_read.wait(0.01) else []


class WatchedLiveReader(LiveReader):
    """Counts the positions that resumed tails have been given."""

    positions = 0

    async def attach(self, query: TailedQuery, tail: TailQueue) -> TailPosition:
        found = await super().attach(query, tail)
        self.positions += 1
        return found

    async def floor(self, query: TailedQuery) -> TailPosition:
        found = await super().floor(query)
        self.positions += 1
        return found


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("backend.tail.service.LiveReader", WatchedLiveReader)
    with topic_in_memory(monkeypatch, TOPIC):
        monkeypatch.setattr(live, "TopicReader", BehindReader)
        yield
    BehindReader.may_read.clear()


def append(*bodies: str) -> None:
    messages = TopicInMemory.messages[0]
    messages.append(message_of(TENANT, bodies, 0, len(messages)))


@asynccontextmanager
async def resumed_behind(last: TailPosition, clock: Clock) -> AsyncIterator[tuple[OpenTail, TailService]]:
    """Yields a tail that resumes at `last`, in a process whose live reader is before the first of three messages."""
    service = TailService(Settings(), clock, QueryThreads(clock))
    try:
        await service.open(TENANT, "blue", None)
        for number in range(3):
            append(f"red {number} a", f"red {number} b")
        yield await service.open(TENANT, "red", last.encode(DIGEST).decode()), service
    finally:
        await service.close()


async def positions_given(service: TailService, count: int) -> None:
    """Waits until the service has requested `count` positions since the first tail was attached."""
    assert isinstance(service._live, WatchedLiveReader)
    while service._live.positions < 1 + count:
        await asyncio.sleep(0.01)


def bodies_in(text: bytes) -> list[str]:
    return [each.split('"')[0] for each in text.decode().split('"body":"')[1:]]


@pytest.mark.parametrize(
    ("offset", "rows", "expected"), [(3, 0, ["red 3 a"]), (2, 1, ["red 2 b", "red 3 a"]), (0, 1, ["red 0 b"])]
)
def test_records_that_another_process_has_sent_are_not_repeated(offset: int, rows: int, expected: list[str]) -> None:
    clock = SystemClock()

    async def use() -> list[str]:
        last = TailPosition(TOPIC.epoch, clock.now_ns(), {0: offset, 1: 0}, 0, rows)
        async with resumed_behind(last, clock) as (tail, service), asyncio.timeout(PATIENCE):

            async def read() -> list[str]:
                text = b""
                async with aclosing(service.events(tail, lambda: UNCHANGED)) as events:
                    async for piece in events:
                        text += piece
                        if b"red 3 a" in text:
                            break
                return bodies_in(text)

            reading = asyncio.create_task(read())
            await positions_given(service, 2)
            append("red 3 a")
            BehindReader.may_read.set()
            return await reading

    found = asyncio.run(use())
    assert found[: len(expected)] == expected
    assert len(found) == len(set(found)) == (3 - offset) * 2 - rows + 1


def test_a_tail_ends_if_the_process_stays_behind_its_last_event() -> None:
    clock = ManualClock(10**18)

    async def use() -> list[bytes]:
        last = TailPosition(TOPIC.epoch, clock.now_ns(), {0: 3, 1: 0})
        async with resumed_behind(last, clock) as (tail, service), asyncio.timeout(PATIENCE):

            async def read() -> list[bytes]:
                return [piece async for piece in service.events(tail, lambda: UNCHANGED)]

            reading = asyncio.create_task(read())
            await positions_given(service, 2)
            clock.advance(POSITION_SECONDS)
            return await reading

    *_, end = asyncio.run(use())
    assert b"event: end" in end
    assert b"Connect again with the same Last-Event-ID" in end
