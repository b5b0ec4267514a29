import asyncio
import json

import pytest

from backend.tail.budget import TailBudget
from backend.tail.events import PIECE_BYTES, Piece, gap
from backend.tail.queue import TailQueue
from kit.errors import Unavailable

FIRST, SECOND = (0, 1), (0, 2)
"""Two messages, by partition and offset."""


def queue_of(limit_bytes: int, budget: TailBudget | None = None, tenant_id: int = 1) -> TailQueue:
    return TailQueue(limit_bytes, tenant_id, budget or TailBudget())


def records(text: bytes, message: tuple[int, int]) -> Piece:
    return Piece(text, 1, message=message)


def last_event(text: bytes) -> dict[str, object]:
    name, data = text.decode().strip().rsplit("\n\n", 1)[-1].split("\n")
    assert name == "event: end"
    event: dict[str, object] = json.loads(data.removeprefix("data: "))
    return event


def test_all_that_waits_is_taken_at_once() -> None:
    async def taken() -> list[Piece | None]:
        queue = queue_of(10)
        queue.offer(Piece(b"a", 1))
        queue.offer(Piece(b"b", 2))
        return [await queue.take(0.01), await queue.take(0.01)]

    assert asyncio.run(taken()) == [Piece(b"ab", 3), None]


def test_much_that_waits_is_taken_in_parts() -> None:
    async def taken() -> list[Piece | None]:
        queue = queue_of(10 * PIECE_BYTES)
        for letter in (b"a", b"b", b"c"):
            queue.offer(Piece(letter * (PIECE_BYTES // 2), 1))
        first = await queue.take(0.01)
        queue.offer(Piece(b"d", 1))
        queue.end(Unavailable("stopping"), keep=True)
        return [first, await queue.take(0.01), await queue.take(0.01), await queue.take(0.01)]

    first, second, third, none = asyncio.run(taken())
    assert first == Piece(b"a" * (PIECE_BYTES // 2) + b"b" * (PIECE_BYTES // 2), 2)
    assert second == Piece(b"c" * (PIECE_BYTES // 2), 1)
    assert third is not None
    assert (third.text[:1], third.records, third.is_last, none) == (b"d", 1, True, None)


def test_a_slow_client_gets_the_number_of_records_that_it_missed() -> None:
    async def taken() -> tuple[Piece | None, bool]:
        queue = queue_of(10)
        queue.offer(Piece(b"x" * 8, 3))
        queue.offer(Piece(b"y" * 8, 2))
        queue.offer(Piece(b"z", 1))
        return await queue.take(0.01), queue.is_ended

    piece, is_ended = asyncio.run(taken())
    assert piece is not None
    assert is_ended
    event = last_event(piece.text)
    assert (event["code"], event["dropped"]) == ("rate_limited", 5)


def test_a_message_larger_than_the_limit_passes_where_nothing_waits() -> None:
    async def taken() -> list[Piece | None]:
        queue = queue_of(10)
        for letter in (b"x", b"y", b"z"):
            queue.offer(records(letter * 8, FIRST))
        queue.offer(Piece(b"heartbeat", 0))
        return [await queue.take(0.01), await queue.take(0.01)]

    assert asyncio.run(taken()) == [Piece(b"x" * 8 + b"y" * 8 + b"z" * 8, 3), None]


def test_a_message_that_comes_while_another_waits_does_not_exceed_the_limit() -> None:
    async def taken() -> Piece | None:
        queue = queue_of(10)
        queue.offer(records(b"x" * 2, FIRST))
        queue.offer(records(b"y" * 8, SECOND))
        queue.offer(records(b"z", SECOND))
        return await queue.take(0.01)

    piece = asyncio.run(taken())
    assert piece is not None
    assert last_event(piece.text)["dropped"] == 3


def test_a_message_passes_that_comes_while_another_is_sent() -> None:
    async def use() -> tuple[Piece | None, bool]:
        queue = queue_of(10)
        for _ in range(4):
            queue.offer(records(b"x" * PIECE_BYTES, FIRST))
        sent = await queue.take(0.01)
        for _ in range(4):
            queue.offer(records(b"y" * PIECE_BYTES, SECOND))
        return sent, queue.is_ended

    assert asyncio.run(use()) == (Piece(b"x" * PIECE_BYTES, 1), False)


def test_the_rest_of_a_message_that_is_sent_does_not_keep_the_next_one_out() -> None:
    async def use() -> tuple[list[bytes], bool]:
        queue = queue_of(10)
        for _ in range(2):
            queue.offer(records(b"x" * PIECE_BYTES, FIRST))
        parts = [await queue.take(0.01)]
        for _ in range(2):
            queue.offer(records(b"x" * PIECE_BYTES, FIRST))
        for _ in range(2):
            queue.offer(records(b"y" * PIECE_BYTES, SECOND))
        is_ended = queue.is_ended
        parts += [await queue.take(0.01) for _ in range(5)]
        return [part.text[:1] for part in parts if part is not None], is_ended

    assert asyncio.run(use()) == ([b"x"] * 4 + [b"y"] * 2, False)


@pytest.mark.parametrize("limit", [10, 1_000])
def test_the_pieces_of_all_tails_together_are_limited(limit: int) -> None:
    """Tests pieces larger and smaller than the limit of one queue."""

    async def use() -> list[bool]:
        budget = TailBudget(400)
        queues = [queue_of(limit, budget) for _ in range(10)]
        for queue in queues:
            queue.offer(records(b"x" * 100, FIRST))
        other = queue_of(limit, budget, tenant_id=2)
        other.offer(records(b"x" * 100, FIRST))
        return [queue.is_ended for queue in (*queues, other)]

    assert asyncio.run(use()) == [False] * 2 + [True] * 8 + [False]


def test_a_tail_without_room_is_told_that_other_tails_hold_it() -> None:
    async def use() -> Piece | None:
        budget = TailBudget(200)
        slow, fast = queue_of(10, budget), queue_of(10, budget)
        slow.offer(records(b"x" * 100, FIRST))
        fast.offer(records(b"y" * 100, SECOND))
        return await fast.take(0.01)

    piece = asyncio.run(use())
    assert piece is not None
    event = last_event(piece.text)
    assert (event["code"], event["dropped"]) == ("rate_limited", 1)
    assert str(event["detail"]).startswith("100 bytes wait for clients of this tenant's live tails")


def test_a_queue_that_awaits_a_replay_keeps_no_record_when_it_ends() -> None:
    async def taken() -> list[Piece | None]:
        queue = queue_of(10)
        queue.awaits_replay = True
        queue.offer(Piece(b"later", 2))
        queue.end(Unavailable("stopping"), keep=True)
        return [await queue.take(0.01), await queue.take(0.01)]

    piece, none = asyncio.run(taken())
    assert piece is not None
    assert none is None
    assert piece.text.startswith(b"event: end")
    assert last_event(piece.text)["dropped"] == 2


def test_a_piece_that_several_tails_share_counts_once() -> None:
    async def use() -> list[bool]:
        budget, piece = TailBudget(400), records(b"x" * 100, FIRST)
        queues = [queue_of(10, budget) for _ in range(10)]
        for queue in queues:
            queue.offer(piece)
        return [queue.is_ended for queue in queues]

    assert asyncio.run(use()) == [False] * 10


def test_the_bytes_of_a_piece_are_free_when_it_was_sent_or_the_client_is_gone() -> None:
    async def use() -> None:
        budget = TailBudget(200)
        shared = records(b"x" * 100, FIRST)
        sent, gone, ended = (queue_of(10, budget) for _ in range(3))
        for queue in (sent, gone, ended):
            queue.offer(shared)
        await sent.take(0.01)
        gone.close()
        ended.end(Unavailable("stopping"))
        waits = queue_of(10, budget)
        waits.offer(records(b"y" * 100, FIRST))
        assert waits.is_ended, "the client may not have read what was taken"
        await sent.take(0.01)
        passes = queue_of(10, budget)
        passes.offer(records(b"y" * 100, FIRST))
        assert not passes.is_ended

    asyncio.run(use())


def test_a_queue_without_client_takes_nothing() -> None:
    async def use() -> Piece | None:
        queue = queue_of(10)
        queue.close()
        queue.offer(records(b"x", FIRST))
        return await queue.take(0.01)

    assert asyncio.run(use()) is None


def test_a_server_that_stops_sends_what_waits() -> None:
    async def taken() -> Piece | None:
        queue = queue_of(10)
        queue.offer(Piece(b"x\n\n", 1))
        queue.end(Unavailable("stopping"), keep=True)
        return await queue.take(0.01)

    piece = asyncio.run(taken())
    assert piece is not None
    assert piece.text.startswith(b"x\n\n")
    assert last_event(piece.text)["dropped"] == 0


def test_a_gap_that_does_not_fit_ends_the_stream() -> None:
    async def taken() -> Piece | None:
        queue = queue_of(10)
        queue.offer(Piece(b"x" * 8, 3))
        queue.offer(gap("records are missing"))
        return await queue.take(0.01)

    piece = asyncio.run(taken())
    assert piece is not None
    assert last_event(piece.text)["dropped"] == 3
