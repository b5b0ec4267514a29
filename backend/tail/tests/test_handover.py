"""Tests that pieces on their way to a busy event loop take little memory, and arrive in order."""

import asyncio
import threading
from unittest.mock import Mock

import pytest

from backend.tail import handover
from backend.tail.budget import TailBudget
from backend.tail.events import PIECE_BYTES, Piece
from backend.tail.handover import IN_TRANSIT, Handover
from backend.tail.queue import TailQueue
from kit.errors import Unavailable

PATIENCE = 60.0


def test_a_thread_waits_for_a_busy_event_loop() -> None:
    batches = 10 * IN_TRANSIT

    async def use() -> None:
        passing, tail = Handover(asyncio.get_running_loop()), TailQueue(2**30, 1, TailBudget())
        made = threading.Semaphore(0)

        def feed() -> None:
            for number in range(batches):
                made.release()
                passing.offer([((tail,), Piece(b"%d" % (number % 10) * PIECE_BYTES, 1))])
            passing.end([tail], Unavailable("done"))

        thread = threading.Thread(target=feed, daemon=True)
        thread.start()
        # The event loop does nothing else, so the thread gets no further than this number of pieces.
        for _ in range(IN_TRANSIT + 1):
            assert made.acquire(timeout=PATIENCE)
        assert not made.acquire(timeout=0.05)
        taken = b""
        async with asyncio.timeout(PATIENCE):
            while not taken.endswith(b"\n\n"):
                piece = await tail.take(1)
                taken += b"" if piece is None else piece.text[:1] + piece.text[-2:]
        thread.join(PATIENCE)
        numbers = [taken[start : start + 1] for start in range(0, 3 * batches, 3)]
        assert numbers == [b"%d" % (number % 10) for number in range(batches)]

    asyncio.run(use())


def test_a_thread_does_not_wait_for_a_closed_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "CHECK_SECONDS", 0.01)
    loop = asyncio.new_event_loop()
    passing, tail = Handover(loop), TailQueue(2**30, 1, TailBudget())
    for _ in range(IN_TRANSIT):
        passing.offer([((tail,), Piece(b"x" * PIECE_BYTES, 1))])
    loop.close()
    passing.offer([((tail,), Piece(b"x" * PIECE_BYTES, 1))])


def test_small_pieces_are_passed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    calls = Mock(wraps=loop.call_soon_threadsafe)
    monkeypatch.setattr(loop, "call_soon_threadsafe", calls)
    try:
        passing, tail = Handover(loop), TailQueue(2**30, 1, TailBudget())
        for _ in range(100):
            passing.offer([((tail,), Piece(b"x", 1))])
        passing.flush()
        assert calls.call_count == 1
        assert loop.run_until_complete(tail.take(1)) == Piece(b"x" * 100, 100)
    finally:
        loop.close()
