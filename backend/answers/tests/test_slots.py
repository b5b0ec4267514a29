"""Tests that refused requests for lists learn what to send less of."""

import asyncio

import pytest

from backend.answers.slots import AnswerSlots
from kit.clock import ManualClock
from kit.errors import RateLimited


def test_the_error_names_the_requests_that_wait() -> None:
    async def run() -> None:
        slots = AnswerSlots("list", 4, ManualClock())
        ended = asyncio.Event()

        async def hold() -> None:
            async with slots.of(1):
                await ended.wait()

        held = [asyncio.create_task(hold()) for _ in range(101)]
        await asyncio.sleep(0)
        with pytest.raises(RateLimited, match=r"has 100 list requests waiting, .* fewer concurrent list requests"):
            await hold()
        ended.set()
        await asyncio.gather(*held)

    asyncio.run(run())
