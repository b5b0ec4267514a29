"""Tests that a resumed tail gets heartbeats while it waits for other tails and while few messages match."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final

import pytest
from confluent_kafka import KafkaError, Message

from backend.language.parse import parse
from backend.language.print import print_query
from backend.store.query_threads import QueryThreads
from backend.tail import live, lookups, replay
from backend.tail.events import HEARTBEAT_SECONDS, Piece
from backend.tail.position import TailPosition, digest_of, read_tail_position
from backend.tail.service import REPLAY_SECONDS, TailService
from kit.clock import ManualClock
from kit.errors import Unauthenticated
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import UNCHANGED, Ways

TENANT: Final = 1
TOPIC: Final = TopicId("1" * 32)
END: Final = 100
READ_SECONDS: Final = 3.0
CLOCK: Final = ManualClock(10**18)
SEEN: Final = {"ms": 0}
"""Time, in milliseconds since the Unix epoch, at which the last client was sent the tenth message."""

DIGEST: Final = digest_of(print_query(parse("rare")), TENANT)


class BusyTopic:
    """One partition with another tenant's messages, of which live readers get none."""

    def __init__(
        self, _settings: Settings, _on_error: Callable[[KafkaError], None], *, reports_ends: bool = False
    ) -> None:
        self.reports_ends = reports_ends
        self._next = 0

    def partitions(self) -> int:
        return 1

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        return dict.fromkeys(partitions, (0, END))

    def offsets_at(self, time_ms: Mapping[int, int]) -> dict[int, int]:
        return {each: 0 if time <= SEEN["ms"] else END // 2 for each, time in time_ms.items()}

    def assign(self, offsets: Mapping[int, int]) -> None:
        self._next = offsets[0]

    def read(self, _seconds: float) -> list[Message]:
        return []

    def close(self) -> None: ...


class ReplayedTopic(BusyTopic):
    """Each read advances the clock by READ_SECONDS."""

    def read(self, _seconds: float) -> list[Message]:
        if self._next >= END:
            return []
        CLOCK.advance(READ_SECONDS)
        self._next += 1
        return [Message(partition=0, offset=self._next - 1, headers=[("tenant_id", b"2")])]


@pytest.fixture(autouse=True)
def _busy_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, topic in ((live, BusyTopic), (lookups, BusyTopic), (replay, ReplayedTopic)):
        monkeypatch.setattr(module, "TopicReader", topic)
    for module in (lookups, replay):
        monkeypatch.setattr(module, "topic_id", lambda _reader: TOPIC)


@asynccontextmanager
async def running() -> AsyncIterator[TailService]:
    service = TailService(Settings(), CLOCK, QueryThreads(CLOCK))
    try:
        yield service
    finally:
        await service.close()


@asynccontextmanager
async def resumed(
    service: TailService, check: Callable[[], Ways] = lambda: UNCHANGED
) -> AsyncIterator[AsyncGenerator[bytes]]:
    """Yields the stream of a tail whose client has had the first ten messages."""
    position = TailPosition(TOPIC.epoch, CLOCK.now_ns(), {0: 10})
    SEEN["ms"] = CLOCK.now_ns() // 10**6
    tail = await service.open(TENANT, "rare", position.encode(DIGEST).decode())
    async with aclosing(service.events(tail, check)) as events:
        yield events


async def later(events: AsyncGenerator[bytes]) -> bytes:
    """Returns the next piece after the clock advances by a heartbeat."""
    coming = asyncio.create_task(anext(events))
    await asyncio.sleep(0)
    CLOCK.advance(HEARTBEAT_SECONDS)
    return await coming


def position_in(heartbeat: bytes) -> int:
    """Returns the offset in a heartbeat's id."""
    comment, name = heartbeat.decode().strip().split("\n")
    assert comment == ": heartbeat"
    return read_tail_position(name.removeprefix("id: "), DIGEST).offsets[0]


def test_heartbeats_say_how_far_it_has_read() -> None:
    async def use() -> list[tuple[int, float]]:
        async with running() as service, resumed(service) as events:
            started = CLOCK.monotonic()
            return [(position_in(await anext(events)), CLOCK.monotonic() - started) for _ in range(7)]

    seen = asyncio.run(use())

    assert seen[-1][1] > REPLAY_SECONDS
    assert [seconds for _, seconds in seen] == sorted(seconds for _, seconds in seen)
    for number, (offset, seconds) in enumerate(seen, start=1):
        assert seconds < number * (HEARTBEAT_SECONDS + READ_SECONDS)
        # The id is never ahead of what was read, and at most one message behind it.
        assert 0 <= 10 + seconds / READ_SECONDS - offset <= 1


def test_heartbeats_come_while_another_is_first() -> None:
    async def use() -> tuple[int, int]:
        async with running() as service, resumed(service) as second:
            async with resumed(service) as first:
                await anext(first)
                waiting = position_in(await later(second))
            return waiting, position_in(await anext(second))

    waiting, reading = asyncio.run(use())

    assert waiting == 10
    assert reading > 10


def test_the_time_that_it_waits_is_not_held_against_it() -> None:
    async def use() -> list[int]:
        async with running() as service, resumed(service) as second:
            async with resumed(service) as first:
                await anext(first)
                await later(second)
                CLOCK.advance(Settings().tail_resume_seconds)
            return [position_in(await anext(second)) for _ in range(3)]

    assert 10 < asyncio.run(use())[-1] < END // 2


def test_a_client_that_lets_others_wait_is_ended() -> None:
    async def use() -> list[bytes]:
        async with running() as service, resumed(service) as events:
            await anext(events)
            CLOCK.advance(REPLAY_SECONDS + 1)
            return [text async for text in events]

    *_, end = asyncio.run(use())

    assert b"event: end" in end
    assert b"read faster, then reconnect" in end


def test_a_revoked_key_ends_a_tail_that_waits() -> None:
    def check() -> Ways:
        raise Unauthenticated("the key was revoked")

    async def use() -> list[bytes]:
        async with running() as service, resumed(service) as first, resumed(service, check) as second:
            await anext(first)
            return [text async for text in second]

    [end] = asyncio.run(use())

    assert b"event: end" in end
    assert b"unauthenticated" in end


def test_a_tail_whose_tenant_may_use_more_partitions_ends() -> None:
    more = UNCHANGED.changed(16, CLOCK.now_ns())

    async def use() -> list[bytes]:
        async with running() as service, resumed(service) as first, resumed(service, lambda: more) as second:
            await anext(first)
            return [text async for text in second]

    [end] = asyncio.run(use())

    assert b"event: end" in end
    assert b"may use more partitions" in end


def test_a_server_that_stops_ends_a_tail_that_catches_up_and_one_that_waits() -> None:
    async def use() -> tuple[list[bytes], list[bytes]]:
        async with running() as service, resumed(service) as second, resumed(service) as first:
            await anext(first)
            await later(second)
            service.end()
            return [text async for text in first], [text async for text in second]

    for [end] in asyncio.run(use()):
        assert b"event: end" in end
        assert b"this server is stopping" in end


def test_records_that_arrived_after_the_missed_ones_are_not_sent_in_their_place() -> None:
    """Tests a tail that ends before all missed records were sent. Its client would not resume before later records."""

    async def use() -> list[bytes]:
        async with running() as service:
            position = TailPosition(TOPIC.epoch, CLOCK.now_ns(), {0: 10})
            tail = await service.open(TENANT, "rare", position.encode(DIGEST).decode())
            async with aclosing(service.events(tail, lambda: UNCHANGED)) as events:
                await anext(events)
                tail.queue.offer(Piece(b"later record", 1))
                service.end()
                return [text async for text in events]

    [end] = asyncio.run(use())
    assert b"later record" not in end
    assert b'"dropped":1' in end
