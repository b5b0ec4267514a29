"""Tests that answers of one tenant that take long to write leave a thread for those of others."""

import asyncio
import threading
from contextlib import suppress

from backend.logs.log_json import written


def test_a_tenant_occupies_one_thread() -> None:
    """Tests that this also holds when clients disconnect, because work that has started does not end."""
    may_end = threading.Event()
    ran: list[str] = []

    def slow() -> None:
        ran.append("slow")
        may_end.wait(30)

    async def write() -> None:
        first = asyncio.create_task(written(1, slow))
        await asyncio.sleep(0.01)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        further = [asyncio.create_task(written(1, slow)) for _ in range(3)]
        try:
            assert await asyncio.wait_for(written(2, lambda: "other"), 10) == "other"
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
        with suppress(ValueError):
            await written(1, fail)
        return await asyncio.wait_for(written(1, lambda: "next"), 10)

    assert asyncio.run(write()) == "next"
