import asyncio
import threading

import pytest

from ingest.receiver import decode_pool
from ingest.receiver.decode_pool import DecodePool
from kit.errors import InvalidRequest, RateLimited


def test_a_tenant_has_one_thread_at_a_time_and_others_do_not_wait_for_it() -> None:
    async def compete() -> None:
        threads = DecodePool()
        blocked = threading.Event()
        first = asyncio.create_task(threads.in_thread(1, blocked.wait, 10))
        second = asyncio.create_task(threads.in_thread(1, str, "second"))
        assert await threads.in_thread(2, str, "other") == "other"
        assert not second.done()
        blocked.set()
        assert await first
        assert await second == "second"
        threads.close()

    asyncio.run(compete())


def test_a_slot_that_does_not_come_is_a_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_pool, "SLOT_SECONDS", 0.01)

    async def wait() -> None:
        threads = DecodePool()
        blocked = threading.Event()
        first = asyncio.create_task(threads.in_thread(1, blocked.wait, 10))
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await threads.in_thread(1, str, "second")
        blocked.set()
        await first
        threads.close()

    asyncio.run(wait())


def test_a_failure_and_a_sender_that_disconnects_give_the_slot_back() -> None:
    def fail() -> None:
        raise InvalidRequest("malformed")

    async def go_on() -> None:
        threads = DecodePool()
        with pytest.raises(InvalidRequest):
            await threads.in_thread(1, fail)
        blocked = threading.Event()
        cancelled = asyncio.create_task(threads.in_thread(1, blocked.wait, 10))
        await asyncio.sleep(0.01)
        cancelled.cancel()
        waiting = asyncio.create_task(threads.in_thread(1, str, "next"))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        blocked.set()
        assert await waiting == "next"
        threads.close()

    asyncio.run(go_on())
