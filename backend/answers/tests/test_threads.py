"""Tests that answers of one tenant that take long to write leave a thread for those of others."""

import asyncio
import threading
from contextlib import suppress

from backend.answers.threads import AnswerThreads
from kit.clock import SystemClock


def test_a_tenant_occupies_one_thread() -> None:
    """Tests that this also holds when clients disconnect, because work that has started does not end."""
    may_end = threading.Event()
    ran: list[str] = []

    def slow() -> None:
        ran.append("slow")
        may_end.wait(30)

    async def write() -> None:
        threads = AnswerThreads(SystemClock())
        first = asyncio.create_task(threads.run(1, slow))
        await asyncio.sleep(0.01)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        further = [asyncio.create_task(threads.run(1, slow)) for _ in range(3)]
        try:
            assert await asyncio.wait_for(threads.run(2, lambda: "other"), 10) == "other"
            assert ran == ["slow"]
        finally:
            may_end.set()
        await asyncio.gather(*further)
        assert len(ran) == 4

    asyncio.run(write())


def test_an_error_ends_the_turn() -> None:
    def fail() -> None:
        raise ValueError("not written")

    async def write() -> str:
        threads = AnswerThreads(SystemClock())
        with suppress(ValueError):
            await threads.run(1, fail)
        return await asyncio.wait_for(threads.run(1, lambda: "next"), 10)

    assert asyncio.run(write()) == "next"
