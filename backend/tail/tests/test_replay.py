"""Tests that a replay can be interrupted anywhere, reads the tenant's partitions only, and takes limited time."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager

import pytest

from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.steps import text_steps
from backend.predicate.predicate import compile_predicate
from backend.store.query_threads import QueryThreads
from backend.tail import replay, service
from backend.tail.events import PIECE_BYTES, Piece
from backend.tail.group import TailedQuery
from backend.tail.messages import RECORD_STEPS
from backend.tail.position import TailPosition, digest_of, read_tail_position
from backend.tail.replay import Replay
from backend.tail.service import REPLAY_PROCESSOR_SECONDS, TailService
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.topic_in_memory import TopicInMemory, topic_in_memory
from kit.clock import Clock, ManualClock
from kit.errors import RateLimited
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import MAX_WAYS, UNCHANGED, partitions_of
from tests.chance import SEED, repetitions

TENANT, OTHER = 1, 2
"""Tenants. The first one's messages are in both of two partitions."""

TOPIC = TopicId("1" * 32)
NOW = 10**18
QUERY = TailedQuery(TENANT, "red", digest_of("red", TENANT), compile_predicate(parse("red")))
START = TailPosition(TOPIC.epoch, NOW, {0: 0, 1: 0})


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with topic_in_memory(monkeypatch, TOPIC):
        yield


def append(partition: int, *bodies: str, tenant_id: int = TENANT) -> None:
    messages = TopicInMemory.messages[partition]
    messages.append(message_of(tenant_id, bodies, partition, len(messages)))


def ends() -> dict[int, int]:
    return {partition: len(messages) for partition, messages in TopicInMemory.messages.items()}


@asynccontextmanager
async def started(last: TailPosition) -> AsyncIterator[tuple[Replay, Piece | None]]:
    async with Replay(Settings(), QUERY, ManualClock(NOW)) as reading:
        yield reading, await reading.start(last, NOW)


def events_in(text: bytes) -> list[tuple[TailPosition, str]]:
    """Returns the position in each record's id, and the record's body."""
    found = []
    for event in text.decode().split("\n\n"):
        if '"body":"' in event:
            position = read_tail_position(event.split("\n")[0].removeprefix("id: "), QUERY.digest)
            found.append((position, event.split('"body":"')[1].split('"')[0]))
    return found


@pytest.mark.parametrize("number", range(repetitions(200)))
def test_records_come_once_wherever_it_is_interrupted(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a client that reconnects with the id of a record or of a heartbeat, some times also inside a message."""
    # Each slice without a match is seen, and the partitions come in any order.
    monkeypatch.setattr(replay, "_SEARCH_SECONDS", 0)
    chance = random.Random(SEED * 1_000 + number)
    sent = []
    for message in range(6):
        kind = chance.choice(["small", "long", "foreign"])
        bodies = [
            f"{chance.choice(['red', 'blue'])} {message} {row} {'x' * (PIECE_BYTES // 5 if kind == 'long' else 0)}"
            for row in range(chance.randrange(1, 20 if kind == "long" else 200))
        ]
        append(chance.randrange(2), *bodies, tenant_id=OTHER if kind == "foreign" else TENANT)
        sent += [body for body in bodies if body.startswith("red") and kind != "foreign"]

    async def use() -> list[str]:
        got: list[str] = []
        last = START
        while True:
            monkeypatch.setattr(TopicInMemory, "order", chance.sample([0, 1], 2))
            async with started(last) as (reading, gap):
                assert gap is None
                is_complete = True
                async with aclosing(reading.up_to(ends())) as pieces:
                    async for piece in pieces:
                        events = [] if piece is None else events_in(piece.text)
                        kept = events
                        last = reading.position
                        if chance.random() < 0.3:
                            if events and chance.random() < 0.7:
                                kept = events[: chance.randrange(len(events)) + 1]
                                last = kept[-1][0]
                            is_complete = False
                        got += [body for _, body in kept]
                        if not is_complete:
                            break
                if is_complete:
                    return got

    assert sorted(asyncio.run(use())) == sorted(sent)


def test_a_message_that_was_sent_in_part_and_that_kafka_lost_is_a_gap() -> None:
    append(0, "red 0")

    async def use() -> tuple[TailPosition, Piece | None]:
        async with started(TailPosition(TOPIC.epoch, NOW, {0: 1, 1: 0}, started=0, rows=5)) as (reading, gap):
            return reading.position, gap

    position, gap = asyncio.run(use())
    assert gap is not None
    assert b"newer than anything in the topic" in gap.text
    assert (dict(position.offsets), position.rows) == ({0: 1, 1: 0}, 0)


def test_a_large_message_comes_in_parts() -> None:
    append(0, *["red " + "x" * 4_000] * 1_000)

    async def use() -> list[Piece]:
        async with started(START) as (reading, _):
            return [piece async for piece in reading.up_to(ends()) if piece is not None]

    pieces = asyncio.run(use())
    assert sum(piece.records for piece in pieces) == 1_000
    assert max(len(piece.text) for piece in pieces) <= PIECE_BYTES


def test_an_id_with_partitions_of_others_reads_only_those_of_the_tenant() -> None:
    TopicInMemory.messages |= {each: [] for each in range(100)}
    own = QUERY.partitions(100)
    possible = partitions_of(TENANT, 100, MAX_WAYS)
    foreign = [each for each in range(100) if each not in own][:28]
    assert not possible.issuperset(foreign)

    async def use() -> tuple[TailPosition, Piece | None]:
        async with started(TailPosition(TOPIC.epoch, NOW, dict.fromkeys([*own, *foreign], 0))) as (reading, gap):
            return reading.position, gap

    position, gap = asyncio.run(use())
    assert own <= position.offsets.keys() <= possible
    assert gap is not None
    assert b"cannot have logs of this tenant" in gap.text


def test_an_id_from_before_partitions_were_added_reads_the_former_ones_too() -> None:
    TopicInMemory.messages |= {each: [] for each in range(100)}
    own, former = QUERY.partitions(100), QUERY.partitions(31)
    assert former - own

    async def use() -> list[tuple[TailPosition, Piece | None]]:
        found = []
        for named in (former, former | own):
            async with started(TailPosition(TOPIC.epoch, NOW, dict.fromkeys(named, 0))) as (reading, gap):
                found.append((reading.position, gap))
        return found

    for position, gap in asyncio.run(use()):
        assert position.offsets.keys() == own | former
        assert gap is None


def test_a_costly_replay_ends_and_its_client_goes_on_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a query that matches nothing until the last message, so that only heartbeats say how far it was read."""
    rare = digest_of(print_query(parse("rare")), TENANT)
    cpu = [0.0]

    def thread_time() -> float:
        cpu[0] += 1.0
        return cpu[0]

    def costly(settings: Settings, query: TailedQuery, clock: Clock) -> Replay:
        return Replay(settings, query, clock, thread_time)

    monkeypatch.setattr(service, "Replay", costly)
    for _ in range(100):
        append(0, "red")
    append(0, "rare")
    clock = ManualClock(NOW)

    async def use() -> tuple[list[bytes], int]:
        tails, texts = TailService(Settings(), clock, QueryThreads(clock)), []
        last = START.encode(rare).decode()
        try:
            for connection in range(1, 100):
                tail = await tails.open(TENANT, "rare", last)
                async with aclosing(tails.events(tail, lambda: UNCHANGED)) as events:
                    async for text in events:
                        texts.append(text)
                        if b"event: log" in text:
                            return texts, connection
                        if b"id: " in text:
                            last = text.split(b"id: ")[1].split(b"\n")[0].decode()
            return texts, 0
        finally:
            await tails.close()

    texts, connections = asyncio.run(use())
    ended = [text for text in texts if b"event: end" in text]
    assert connections == len(ended) + 1 > 2
    assert all(b'"code":"rate_limited"' in text and b"processor time" in text for text in ended)
    assert cpu[0] < 3 * connections * REPLAY_PROCESSOR_SECONDS


@pytest.mark.parametrize("query", ["text:~" + "a*" * 186 + "b", " OR ".join(f"text:~*q{n}*" for n in range(256))])
def test_a_replay_does_not_compare_a_record_that_would_take_too_long(query: str) -> None:
    """Tests that the thread of a replay, which is not interrupted, takes no hours for terms and a long value."""
    node = parse(query)
    steps = text_steps(node)
    tailed = TailedQuery(TENANT, query, QUERY.digest, compile_predicate(node), text_steps=steps)
    longest = RECORD_STEPS // steps.values + 1
    TopicInMemory.messages[0].append(message_of(TENANT, ["red"], resource_text="x" * longest))

    async def use() -> None:
        async with Replay(Settings(), tailed, ManualClock(NOW)) as reading:
            assert await reading.start(START, NOW) is None
            async with aclosing(reading.up_to(ends())) as pieces:
                async for piece in pieces:
                    assert piece is None

    with pytest.raises(RateLimited, match="texts that are too long"):
        asyncio.run(use())
