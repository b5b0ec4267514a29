"""A tenant that runs a lot comes behind one that does not."""

import asyncio
from contextlib import AsyncExitStack

from backend.search.priority import BURST
from backend.search.queue import FairQueue, Places
from backend.search.turns import Turns, export_turns, search_turns
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.control.directory import Directory

CLOCK = ManualClock(0)


def priorities(turns: Turns, tenants: list[int]) -> list[int]:
    """Of statements that are begun one after the other and all run on."""

    async def use() -> list[int]:
        async with AsyncExitStack() as running:
            return [(await running.enter_async_context(turns.of(tenant)))["priority"] for tenant in tenants]

    return asyncio.run(use())


def test_only_the_first_statements_of_a_tenant_come_before_those_of_others() -> None:
    settings = Settings(query_max_concurrent_per_tenant=BURST + 3)
    turns = search_turns(settings, Directory(settings.control_plane_url, 2.0, SystemClock()), CLOCK)
    assert priorities(turns, [1] * (BURST + 2) + [2, 1]) == [1] * BURST + [2, 2, 1, 2]


def test_an_export_comes_behind_searches() -> None:
    assert priorities(export_turns(Settings(), CLOCK), [1]) == [3]


def test_a_turn_says_how_many_its_tenant_has() -> None:
    async def use() -> list[int]:
        queue, places = FairQueue("test", 8, CLOCK), Places(4, 4, 1.0)
        async with queue.turn(1, places) as first, queue.turn(2, places) as other:
            async with queue.turn(1, places) as second:
                pass
            async with queue.turn(1, places) as again:
                return [first, other, second, again]

    assert asyncio.run(use()) == [1, 1, 2, 2]
