"""Tests that large and costly messages of one tenant take little memory and time from the live reader."""

import asyncio
import threading
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager

import pytest

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.tail import live
from backend.tail.budget import TailBudget
from backend.tail.dispatch import MESSAGE_SECONDS, Dispatch
from backend.tail.events import PIECE_BYTES, Piece
from backend.tail.group import Group, TailedQuery
from backend.tail.live import LiveReader
from backend.tail.messages import SLICE_RECORDS, TailedMessage
from backend.tail.position import TailPosition, digest_of, read_tail_position
from backend.tail.queue import TailQueue
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.topic_in_memory import TopicInMemory, topic_in_memory
from kit.clock import SystemClock
from kit.settings import Settings
from schema.coordinates import TopicId

PATIENCE = 60.0
TENANT, OTHER = 42, 1
"""Numbers of tenants whose messages are in the first, and in both, of two partitions."""


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with topic_in_memory(monkeypatch, TopicId("1" * 32)):
        yield


@asynccontextmanager
async def reading() -> AsyncIterator[LiveReader]:
    reader = LiveReader(Settings(), SystemClock())
    try:
        yield reader
    finally:
        await reader.close()


def tailed(query: str, tenant_id: int = TENANT) -> TailedQuery:
    return TailedQuery(tenant_id, query, digest_of(query, tenant_id), compile_predicate(parse(query)))


def append(*bodies: str, resource_text: str = "") -> None:
    """Writes a message of TENANT."""
    messages = TopicInMemory.messages[0]
    messages.append(message_of(TENANT, bodies, 0, len(messages), resource_text))


async def until_read(reader: LiveReader, query: TailedQuery, offset: int) -> None:
    """Waits until the reader has read the first partition up to the offset. `query` is one of an attached tail."""
    async with asyncio.timeout(PATIENCE):
        while (await reader.floor(query)).offsets[0] < offset:
            await asyncio.sleep(0.01)


async def taken(tail: TailQueue) -> Piece:
    async with asyncio.timeout(PATIENCE):
        while (piece := await tail.take(1)) is None:
            pass
    return piece


def bodies_in(text: bytes) -> list[str]:
    return [part.split(b'"')[0].decode() for part in text.split(b'"body":"')[1:]]


def rows_of_ids(text: bytes, query: TailedQuery) -> list[int]:
    """Returns the number of rows in the id of each record."""
    ids = [part.split(b"\n")[0].decode() for part in text.split(b"id: ")[1:]]
    return [read_tail_position(each, query.digest).rows for each in ids]


def test_a_message_of_large_records_takes_little_memory_in_many_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests tails with different queries whose clients do not read. The message is larger than all their queues."""
    limit, budget_bytes, tails, records = 2 * PIECE_BYTES, 8 * PIECE_BYTES, 20, 1_000
    pieces: list[Piece] = []
    most = 0

    async def use() -> list[bool]:
        budget = TailBudget(budget_bytes)
        queues = [TailQueue(limit, TENANT, budget) for _ in range(tails)]
        offer = TailQueue.offer

        def watched(queue: TailQueue, piece: Piece) -> None:
            nonlocal most
            offer(queue, piece)
            pieces.append(Piece(b"", len(piece.text)))
            most = max(most, sum(len(each.text) for tail in queues for each in tail._waiting.pieces))

        monkeypatch.setattr(TailQueue, "offer", watched)
        async with reading() as reader:
            await reader.attach(tailed("other", OTHER), TailQueue(limit, OTHER, budget))
            for number, queue in enumerate(queues):
                await reader.attach(tailed(f"red -word{number}"), queue)
            append(*["red"] * records, resource_text="x" * 4_000)
            await until_read(reader, tailed("other", OTHER), 1)
        return [queue.is_ended for queue in queues]

    assert all(asyncio.run(use()))
    assert records * 4_000 > 3 * limit
    assert max(piece.records for piece in pieces) <= PIECE_BYTES
    assert most <= budget_bytes


def test_a_client_that_reads_gets_a_message_larger_than_its_queue() -> None:
    records = 500
    query = tailed("red")

    async def use() -> bytes:
        async with reading() as reader:
            tail = TailQueue(PIECE_BYTES // 2, TENANT, TailBudget())
            await reader.attach(query, tail)
            append(*[f"red {number}" for number in range(records)], resource_text="x" * 4_000)
            text = b""
            while b"red %d" % (records - 1) not in text:
                text += (await taken(tail)).text
            append("red end")
            return text + (await taken(tail)).text

    text = asyncio.run(use())
    assert bodies_in(text) == [*(f"red {number}" for number in range(records)), "red end"]
    assert rows_of_ids(text, query) == [*range(1, records + 1), 1]


def test_tails_end_inside_a_costly_message_and_resume_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a tenant without others beside it, and that another one can open a tail afterwards."""
    seconds, records, query = 0.5, 5_000, tailed("red")
    slices = int(MESSAGE_SECONDS / seconds) + 1
    now = [0.0]

    def thread_time() -> float:
        now[0] += seconds / 2
        return now[0]

    monkeypatch.setattr(live, "Dispatch", lambda clock: Dispatch(clock, thread_time))

    async def use() -> bytes:
        async with reading() as reader:
            tail = TailQueue(2**30, TENANT, TailBudget())
            await reader.attach(query, tail)
            append(*["red"] * records)
            text = b""
            while b"event: end" not in text:
                text += (await taken(tail)).text
            await reader.attach(tailed("other", OTHER), TailQueue(2**30, OTHER, TailBudget()))
            return text

    events, end = asyncio.run(use()).split(b"event: end")
    assert b'"code":"rate_limited"' in end
    rows = rows_of_ids(events, query)
    assert rows == list(range(1, rows[-1] + 1))
    assert slices * SLICE_RECORDS <= rows[-1] <= 2 * slices * SLICE_RECORDS < records


class Held:
    """Holds the reader at its first message until `let` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.let = threading.Event(), threading.Event()
        offered = Dispatch.offered

        def held(
            dispatch: Dispatch, read: TailedMessage, groups: Collection[Group], position: object
        ) -> Iterator[object]:
            self.begun.set()
            self.let.wait(PATIENCE)
            yield from offered(dispatch, read, groups, position)  # type: ignore[arg-type]  # passed as it came

        monkeypatch.setattr(Dispatch, "offered", held)


def test_a_new_tail_waits_for_one_message_and_the_others_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a tail in the partitions that are read, and one that needs a further partition."""
    held = Held(monkeypatch)

    async def use() -> tuple[TailPosition, TailPosition, bytes]:
        async with reading() as reader:
            tail = TailQueue(2**30, TENANT, TailBudget())
            await reader.attach(tailed("first"), tail)
            for body in ("first 0", "first 1", "first 2"):
                append(body)
            assert await asyncio.to_thread(held.begun.wait, PATIENCE)
            new = asyncio.create_task(reader.attach(tailed("new"), TailQueue(2**30, TENANT, TailBudget())))
            further = asyncio.create_task(reader.attach(tailed("a", OTHER), TailQueue(2**30, OTHER, TailBudget())))
            while reader._commands.qsize() < 2:
                await asyncio.sleep(0.01)
            held.let.set()
            positions = await new, await further
            text = b""
            while b"first 2" not in text:
                text += (await taken(tail)).text
            await until_read(reader, tailed("first"), 3)
            return *positions, text

    new, further, text = asyncio.run(use())
    assert new.offsets == {0: 1}
    assert 1 <= further.offsets[0] <= 3
    assert bodies_in(text) == ["first 0", "first 1", "first 2"]
