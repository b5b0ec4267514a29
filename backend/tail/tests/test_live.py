"""Tests of the positions at which the live reader lets tails begin."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, cast

import pytest
from confluent_kafka import KafkaError, Message

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.tail import handover, live, lookups
from backend.tail.budget import TailBudget
from backend.tail.dispatch import Dispatch
from backend.tail.group import TailedQuery
from backend.tail.live import LiveReader
from backend.tail.position import digest_of
from backend.tail.queue import TailQueue
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

END = {"offset": 10}
PATIENCE = 60.0


class SlowTopic:
    """A topic that ends at END and returns no message, like Kafka for a reader that has not caught up."""

    def __init__(
        self, _settings: Settings, _on_error: Callable[[KafkaError], None], *, reports_ends: bool = False
    ) -> None:
        self.reports_ends = reports_ends

    def partitions(self) -> int:
        return 1

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        return dict.fromkeys(partitions, (0, END["offset"]))

    def assign(self, offsets: Mapping[int, int]) -> None: ...

    def read(self, _seconds: float) -> list[Message]:
        return []

    def close(self) -> None: ...


def tailed(query: str, tenant_id: int = 1) -> TailedQuery:
    node = parse(query)
    return TailedQuery(tenant_id, query, digest_of(query, tenant_id), compile_predicate(node))


def tail_queue() -> TailQueue:
    return TailQueue(1_000, 1, TailBudget())


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "TopicReader", SlowTopic)
    monkeypatch.setattr(lookups, "TopicReader", SlowTopic)
    monkeypatch.setattr(lookups, "topic_id", lambda _reader: TopicId("1" * 32))


def test_what_a_resumed_tail_reads_itself_ends_where_the_live_reader_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(END, "offset", 10)

    async def use() -> None:
        reader = LiveReader(Settings(), SystemClock())
        try:
            assert (await reader.floor(tailed("hello"))).offsets == {0: 10}
            await reader.attach(tailed("hello"), tail_queue())
            END["offset"] = 50
            floor = await reader.floor(tailed("again"))
            position = await reader.attach(tailed("again"), tail_queue())
            assert floor.offsets == position.offsets == {0: 10}
        finally:
            await reader.close()

    asyncio.run(use())


ONE_PARTITION, BOTH_PARTITIONS = 42, 1
"""Numbers of tenants whose messages are in the first, and in both, of two partitions."""


class HangingKafka(SlowTopic):
    """A topic that reports the end of its second partition only once `let` is set. Counts the reads."""

    let = threading.Event()
    requested = threading.Event()
    reads = 0

    def partitions(self) -> int:
        return 2

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        if 1 in partitions:
            self.requested.set()
            self.let.wait(PATIENCE)
        return super().ends(partitions)

    def read(self, _seconds: float) -> list[Message]:
        type(self).reads += 1
        return []


def test_tails_are_fed_while_kafka_takes_its_time_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "TopicReader", HangingKafka)
    monkeypatch.setattr(lookups, "TopicReader", HangingKafka)

    async def use() -> None:
        reader = LiveReader(Settings(), SystemClock())
        try:
            await reader.attach(tailed("fed", ONE_PARTITION), tail_queue())
            waiting = asyncio.create_task(reader.attach(tailed("slow", BOTH_PARTITIONS), tail_queue()))
            assert await asyncio.to_thread(HangingKafka.requested.wait, PATIENCE)
            before = HangingKafka.reads
            async with asyncio.timeout(PATIENCE):
                while HangingKafka.reads < before + 3:
                    await asyncio.sleep(0.01)
                # Goes to the feeding thread, which answers at once for partitions that it reads already.
                await reader.floor(tailed("fed", ONE_PARTITION))
            assert not waiting.done()
            HangingKafka.let.set()
            assert (await waiting).offsets.keys() == {0, 1}
        finally:
            HangingKafka.let.set()
            await reader.close()

    asyncio.run(use())


def test_a_tail_does_not_wait_for_kafka_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    let = threading.Event()

    def hang(_: TopicIdReader) -> TopicId:
        let.wait(PATIENCE)
        raise Unavailable("too late")

    monkeypatch.setattr(handover, "POSITION_SECONDS", 0.05)
    monkeypatch.setattr(lookups, "topic_id", hang)

    async def use() -> None:
        reader = LiveReader(Settings(), SystemClock())
        try:
            with pytest.raises(Unavailable, match=r"did not answer within 0\.05 s"):
                await reader.attach(tailed("hello"), tail_queue())
        finally:
            let.set()
            await reader.close()

    asyncio.run(use())


def test_a_tail_whose_caller_was_cancelled_is_not_fed(monkeypatch: pytest.MonkeyPatch) -> None:
    let, requested = threading.Event(), threading.Event()

    def slow(_: TopicIdReader) -> TopicId:
        requested.set()
        let.wait(PATIENCE)
        return TopicId("1" * 32)

    monkeypatch.setattr(lookups, "topic_id", slow)

    async def use() -> None:
        reader = LiveReader(Settings(), SystemClock())
        try:
            cancelled = asyncio.create_task(reader.attach(tailed("cancelled"), tail_queue()))
            assert await asyncio.to_thread(requested.wait, PATIENCE)
            cancelled.cancel()
            await asyncio.gather(cancelled, return_exceptions=True)
            let.set()
            await reader.floor(tailed("next"))
            assert not reader._groups
        finally:
            let.set()
            await reader.close()

    asyncio.run(use())


class TwoPartitions(SlowTopic):
    """A topic that returns each batch of the test's messages once. Records which partitions are read."""

    batches: ClassVar[queue.SimpleQueue[list[object]]] = queue.SimpleQueue()
    assigned: ClassVar[list[set[int]]] = []

    def partitions(self) -> int:
        return 2

    def assign(self, offsets: Mapping[int, int]) -> None:
        self.assigned.append(set(offsets))

    def read(self, _seconds: float) -> list[Message]:
        try:
            return cast(list[Message], self.batches.get_nowait())
        except queue.Empty:
            return []


class Fetched:
    """A message of a tenant in the second partition."""

    def __init__(self, tenant_id: int, offset: int) -> None:
        self._tenant_id = tenant_id
        self._offset = offset

    def partition(self) -> int:
        return 1

    def offset(self) -> int:
        return self._offset

    def headers(self) -> list[tuple[str, bytes]]:
        return [("tenant_id", str(self._tenant_id).encode())]

    def error(self) -> None:
        return None


def test_a_partition_whose_tails_have_ended_is_read_again_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "TopicReader", TwoPartitions)
    monkeypatch.setattr(lookups, "TopicReader", TwoPartitions)
    monkeypatch.setitem(END, "offset", 10)
    is_costly = threading.Event()
    monkeypatch.setattr(
        Dispatch, "takes_too_long", lambda _self, tenant, _groups: tenant == BOTH_PARTITIONS and is_costly.is_set()
    )

    async def use() -> None:
        reader, ended = LiveReader(Settings(), SystemClock()), tail_queue()
        try:
            await reader.attach(tailed("other", ONE_PARTITION), tail_queue())
            await reader.attach(tailed("costly", BOTH_PARTITIONS), ended)
            is_costly.set()
            # The first one ends the tail. The second one, of a tenant without tails, was fetched together with it.
            TwoPartitions.batches.put([Fetched(BOTH_PARTITIONS, 10), Fetched(BOTH_PARTITIONS + 1, 11)])
            async with asyncio.timeout(PATIENCE):
                while not ended.is_ended:
                    await asyncio.sleep(0.01)
            is_costly.clear()
            await reader.attach(tailed("costly", BOTH_PARTITIONS), tail_queue())
            assert TwoPartitions.assigned[-2:] == [{0}, {0, 1}]
        finally:
            await reader.close()

    asyncio.run(use())
