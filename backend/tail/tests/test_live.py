"""Where the live reader lets tails begin."""

import asyncio
from collections.abc import Callable, Iterable, Mapping

import pytest
from confluent_kafka import KafkaError, Message

from backend.language.parse import parse
from backend.search.predicate.predicate import compile_predicate
from backend.tail import live
from backend.tail.group import TailedQuery
from backend.tail.live import LiveReader
from backend.tail.position import digest_of
from backend.tail.queue import TailQueue
from kit.clock import SystemClock
from kit.settings import Settings
from schema.coordinates import TopicId

END = {"offset": 10}


class SlowTopic:
    """Ends where END says; gives no message, as Kafka does to a reader that has not caught up."""

    def __init__(self, _settings: Settings, _on_error: Callable[[KafkaError], None]) -> None: ...

    def partitions(self) -> int:
        return 1

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        return dict.fromkeys(partitions, (0, END["offset"]))

    def assign(self, offsets: Mapping[int, int]) -> None: ...

    def read(self, _seconds: float) -> list[Message]:
        return []

    def close(self) -> None: ...


def tailed(query: str) -> TailedQuery:
    node = parse(query)
    return TailedQuery(1, query, digest_of(query, 1), compile_predicate(node))


def test_what_a_resumed_tail_reads_itself_ends_where_the_live_reader_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "TopicReader", SlowTopic)
    monkeypatch.setattr(live, "read_topic_id", lambda _settings: TopicId("1" * 32))
    monkeypatch.setitem(END, "offset", 10)

    async def use() -> None:
        reader = LiveReader(Settings(), SystemClock())
        try:
            assert (await reader.floor(tailed("hello"))).offsets == {0: 10}
            await reader.attach(tailed("hello"), TailQueue(1_000))
            END["offset"] = 50
            floor = await reader.floor(tailed("again"))
            begin = await reader.attach(tailed("again"), TailQueue(1_000))
            assert floor.offsets == begin.offsets == {0: 10}
        finally:
            await reader.close()

    asyncio.run(use())
