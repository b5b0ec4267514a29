"""Tests where live tails continue when Kafka does not have the next offset, and which tails end without its answer."""

import asyncio
import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, cast

import pytest
from confluent_kafka import KafkaError, Message

from backend.tail import live, lookups
from backend.tail.continuing import DELETED, LOST, Continuation, continuation
from backend.tail.live import LiveReader
from backend.tail.lookups import Found
from backend.tail.queue import TailQueue
from backend.tail.tests.test_live import BOTH_PARTITIONS, ONE_PARTITION, PATIENCE, SlowTopic, tail_queue, tailed
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId

TOPIC = TopicId("1" * 32)
START = 1_000
"""End of each partition when the tails are attached."""


@pytest.mark.parametrize(
    ("first", "end", "expected"),
    [
        (1_005, 2_000, Continuation(1_005, DELETED)),
        (0, 990, Continuation(990, LOST)),
        (0, 0, Continuation(0, LOST)),
        (0, 1_010, Continuation(1_000, LOST)),
        (1_000, 1_000, Continuation(1_000, LOST)),
    ],
)
def test_tails_continue_at_the_nearest_offset_that_kafka_has(first: int, end: int, expected: Continuation) -> None:
    assert continuation(1_000, first, end) == expected


class Missing:
    """The error of a reader whose next offset the partition does not have."""

    def __init__(self, partition: int) -> None:
        self._partition = partition

    def error(self) -> KafkaError:
        return KafkaError(KafkaError._AUTO_OFFSET_RESET)

    def partition(self) -> int:
        return self._partition


class ChangingTopic(SlowTopic):
    """A topic of two partitions. `found` are the first and end offsets of each, or the error of a look-up."""

    found: ClassVar[dict[int, tuple[int, int] | Unavailable]] = {}
    errors: ClassVar[queue.SimpleQueue[Missing | Message]] = queue.SimpleQueue()
    assigned: ClassVar[list[dict[int, int]]] = []

    def partitions(self) -> int:
        return 2

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        ends: dict[int, tuple[int, int]] = {}
        for each in partitions:
            found = self.found[each]
            if isinstance(found, Unavailable):
                raise found
            ends[each] = found
        return ends

    def assign(self, offsets: Mapping[int, int]) -> None:
        self.assigned.append(dict(offsets))

    def read(self, _seconds: float) -> list[Message]:
        try:
            return [cast(Message, self.errors.get(timeout=0.01))]
        except queue.Empty:
            return []


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(live, "TopicReader", ChangingTopic)
    monkeypatch.setattr(lookups, "TopicReader", ChangingTopic)
    monkeypatch.setattr(lookups, "topic_id", lambda _reader: TOPIC)
    ChangingTopic.found |= dict.fromkeys((0, 1), (0, START))
    yield
    ChangingTopic.assigned.clear()


async def texts_until(tail: TailQueue, wanted: bytes) -> bytes:
    """Returns what the tail's client gets up to the wanted text."""
    text = b""
    async with asyncio.timeout(PATIENCE):
        while wanted not in text:
            piece = await tail.take(0.1)
            text += b"" if piece is None else piece.text
    return text


def test_tails_continue_at_the_end_after_kafka_lost_its_newest_messages() -> None:
    """Tests that the tails of this partition do not get the whole topic again, and that other tails get no gap."""

    async def use() -> tuple[bytes, bool, Mapping[int, int]]:
        reader, both, one = LiveReader(Settings(), SystemClock()), tail_queue(), tail_queue()
        try:
            await reader.attach(tailed("both", BOTH_PARTITIONS), both)
            await reader.attach(tailed("one", ONE_PARTITION), one)
            ChangingTopic.found[1] = (0, START - 10)
            ChangingTopic.errors.put(Missing(1))
            text = await texts_until(both, b"event: gap")
            return text, await one.take(0.05) is None, (await reader.floor(tailed("both", BOTH_PARTITIONS))).offsets
        finally:
            await reader.close()

    text, is_silent, offsets = asyncio.run(use())
    assert LOST.encode() in text
    assert is_silent
    assert offsets == {0: START, 1: START - 10}
    assert ChangingTopic.assigned[-1] == {0: START, 1: START - 10}


def test_tails_continue_behind_a_marker_of_a_transaction_at_the_end() -> None:
    """Tests that a tail can resume at the end that Kafka names, which counts the marker."""

    async def use() -> None:
        reader, both = LiveReader(Settings(), SystemClock()), tail_queue()
        query = tailed("both", BOTH_PARTITIONS)
        try:
            await reader.attach(query, both)
            for offset in (START + 1, START - 1):
                end = Message(partition=1, offset=offset, error=KafkaError(KafkaError._PARTITION_EOF))
                ChangingTopic.errors.put(end)
            async with asyncio.timeout(PATIENCE):
                while (await reader.floor(query)).offsets != {
                    0: START,
                    1: START + 1,
                } or not ChangingTopic.errors.empty():
                    await asyncio.sleep(0.01)
            assert (await reader.floor(query)).offsets == {0: START, 1: START + 1}
        finally:
            await reader.close()

    asyncio.run(use())
    assert ChangingTopic.assigned == [{0: START, 1: START}]


def test_tails_continue_at_the_first_message_after_kafka_deleted_the_next_ones() -> None:
    async def use() -> bytes:
        reader, tail = LiveReader(Settings(), SystemClock()), tail_queue()
        try:
            await reader.attach(tailed("one", ONE_PARTITION), tail)
            ChangingTopic.found[0] = (START + 5, START + 9)
            ChangingTopic.errors.put(Missing(0))
            return await texts_until(tail, b"event: gap")
        finally:
            await reader.close()

    assert DELETED.encode() in asyncio.run(use())
    assert ChangingTopic.assigned[-1] == {0: START + 5}


def test_only_tails_of_a_partition_end_when_kafka_does_not_say_where_it_ends() -> None:
    async def use() -> bytes:
        reader, both, one = LiveReader(Settings(), SystemClock()), tail_queue(), tail_queue()
        try:
            await reader.attach(tailed("both", BOTH_PARTITIONS), both)
            await reader.attach(tailed("one", ONE_PARTITION), one)
            ChangingTopic.found[1] = Unavailable("Kafka does not answer: timed out")
            ChangingTopic.errors.put(Missing(1))
            text = await texts_until(both, b"event: end")
            await reader.floor(tailed("one", ONE_PARTITION))
            assert not one.is_ended
            return text
        finally:
            await reader.close()

    assert b"Kafka does not answer: timed out" in asyncio.run(use())
    assert ChangingTopic.assigned[-1] == {0: START}, "the partition of the other tail is still read"


@pytest.mark.parametrize(
    "answer", [Found(TOPIC, 2, {0: (0, START - 10)}), Unavailable("Kafka does not answer: timed out")]
)
def test_an_answer_for_tails_that_are_gone_does_not_concern_the_next_tail(
    monkeypatch: pytest.MonkeyPatch, answer: Found | Unavailable
) -> None:
    """Tests a tail that is attached while Kafka has not yet said where the partition of earlier tails ends."""
    asked: list[Callable[[Found | Unavailable], None]] = []
    monkeypatch.setattr(lookups.Lookups, "ends", lambda _self, _partition, then: asked.append(then))

    async def use() -> bool:
        reader, query, next_tail = LiveReader(Settings(), SystemClock()), tailed("one", ONE_PARTITION), tail_queue()
        try:
            first = tail_queue()
            await reader.attach(query, first)
            ChangingTopic.errors.put(Missing(0))
            async with asyncio.timeout(PATIENCE):
                while not asked:
                    await asyncio.sleep(0.01)
            reader.detach(query, first)
            ChangingTopic.found[0] = (0, START - 10)
            assert (await reader.attach(query, next_tail)).offsets == {0: START - 10}
            asked[0](answer)
            # The answer is a command before the one of this request.
            await reader.floor(query)
            return await next_tail.take(0.05) is None and not next_tail.is_ended
        finally:
            await reader.close()

    assert asyncio.run(use())
    assert ChangingTopic.assigned[-1] == {0: START - 10}
