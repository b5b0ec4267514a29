import asyncio
import json

from backend.tail.events import Piece, gap
from backend.tail.queue import TailQueue
from kit.errors import Unavailable


def last_event(text: bytes) -> dict[str, object]:
    name, data = text.decode().strip().rsplit("\n\n", 1)[-1].split("\n")
    assert name == "event: end"
    event: dict[str, object] = json.loads(data.removeprefix("data: "))
    return event


def test_all_that_waits_is_taken_at_once() -> None:
    async def taken() -> list[Piece | None]:
        queue = TailQueue(10)
        queue.offer(Piece(b"a", 1))
        queue.offer(Piece(b"b", 2))
        return [await queue.take(0.01), await queue.take(0.01)]

    assert asyncio.run(taken()) == [Piece(b"ab", 3), None]


def test_a_slow_client_gets_the_number_of_records_that_it_missed() -> None:
    async def taken() -> tuple[Piece | None, bool]:
        queue = TailQueue(10)
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
    async def taken() -> Piece | None:
        queue = TailQueue(10)
        queue.offer(Piece(b"x" * 100, 3))
        queue.offer(Piece(b"heartbeat", 0))
        return await queue.take(0.01)

    assert asyncio.run(taken()) == Piece(b"x" * 100, 3)


def test_a_server_that_stops_sends_what_waits() -> None:
    async def taken() -> Piece | None:
        queue = TailQueue(10)
        queue.offer(Piece(b"x\n\n", 1))
        queue.end(Unavailable("stopping"), keep=True)
        return await queue.take(0.01)

    piece = asyncio.run(taken())
    assert piece is not None
    assert piece.text.startswith(b"x\n\n")
    assert last_event(piece.text)["dropped"] == 0


def test_a_gap_that_does_not_fit_ends_the_stream() -> None:
    async def taken() -> Piece | None:
        queue = TailQueue(10)
        queue.offer(Piece(b"x" * 8, 3))
        queue.offer(gap("records are missing"))
        return await queue.take(0.01)

    piece = asyncio.run(taken())
    assert piece is not None
    assert last_event(piece.text)["dropped"] == 3
