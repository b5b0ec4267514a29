import asyncio
import threading
from functools import partial

import pytest

from ingest.receiver import decode_pool
from ingest.receiver.decode_pool import DecodePool
from kit.clock import ManualClock
from kit.errors import InvalidRequest, RateLimited


def test_a_turn_that_does_not_come_is_a_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_pool, "TURN_SECONDS", 0.01)

    async def wait() -> None:
        threads = DecodePool(ManualClock())
        blocked = threading.Event()
        first = asyncio.create_task(threads.in_thread(1, partial(blocked.wait, 10)))
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await threads.in_thread(1, str)
        blocked.set()
        await first
        threads.close()

    asyncio.run(wait())


def test_an_error_of_the_decoder_reaches_the_caller() -> None:
    def fail() -> None:
        raise InvalidRequest("malformed")

    async def decode() -> None:
        threads = DecodePool(ManualClock())
        with pytest.raises(InvalidRequest, match="malformed"):
            await threads.in_thread(1, fail)
        threads.close()

    asyncio.run(decode())
