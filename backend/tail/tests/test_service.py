"""How the stream of one tail ends."""

import asyncio

import pytest

from backend.language.parse import parse
from backend.search.predicate.predicate import compile_predicate
from backend.tail.events import Piece
from backend.tail.group import TailedQuery
from backend.tail.position import digest_of
from backend.tail.queue import TailQueue
from backend.tail.service import OpenTail, TailService
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings


def test_a_client_that_was_slow_when_its_tail_ended_is_told_why(settings: Settings) -> None:
    async def stream() -> list[bytes]:
        service = TailService(settings, SystemClock())
        queue = TailQueue(100)
        tail = OpenTail(TailedQuery(1, "*", digest_of("*", 1), compile_predicate(parse("*"))), queue, None)
        events = service.events(tail, lambda: None)
        try:
            queue.offer(Piece(b"record", 1))
            sent = [await anext(events)]
            queue.end(Unavailable("stopping"))
            return [*sent, *[text async for text in events]]
        finally:
            await service.close()

    record, end = asyncio.run(stream())
    assert record == b"record"
    assert b"event: end" in end
    assert b"stopping" in end


@pytest.fixture
def settings() -> Settings:
    return Settings()
