"""Tests that statements of a tenant with much running wait behind those of a tenant with little."""

import asyncio
from contextlib import AsyncExitStack

from backend.store.priority import ALONE, BURST, Standing, at_once, divided_limit, share_of
from backend.store.queue import FairQueue, QueueLimits
from backend.store.result_budget import ResultBudget
from backend.store.slots import QueueSlots, export_slots, search_slots
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.control.directory import Directory

CLOCK = ManualClock(0)


def priorities(slots: QueueSlots, tenants: list[int]) -> list[int]:
    """Returns the settings of statements that are started one after the other and all keep running."""

    async def use() -> list[int]:
        async with AsyncExitStack() as running:
            return [(await running.enter_async_context(slots.of(tenant)))["priority"] for tenant in tenants]

    return asyncio.run(use())


def test_only_the_first_statements_of_a_tenant_come_before_those_of_others() -> None:
    settings = Settings(query_max_concurrent_per_tenant=BURST + 3)
    slots = search_slots(
        settings, Directory(settings.control_plane_url, 2.0, SystemClock()), CLOCK, ResultBudget.of(settings)
    )
    assert priorities(slots, [1] * (BURST + 2) + [2]) == [1] * BURST + [2, 2, 1]


def test_beside_others_a_tenants_statements_share_the_threads_that_there_are() -> None:
    beside = Standing(has_others=True)
    threads = [share_of(running, beside, 8).get("max_threads") for running in range(1, BURST + 2)]
    assert threads == [8, 4, 2, 2, 1]
    assert "max_threads" not in share_of(1, ALONE, 8)
    assert share_of(1, Standing(has_others=True, is_heavy=True), 8) == share_of(BURST + 1, ALONE, 8)


def test_a_heavy_tenant_has_half_of_the_processors_but_one_statement_always() -> None:
    heavy = Standing(has_others=True, is_heavy=True)
    assert [at_once(16, heavy, processors) for processors in (1, 2, 8, 64)] == [1, 1, 4, 16]
    assert [at_once(16, Standing(has_others=True), processors) for processors in (1, 8, 64)] == [BURST, 8, 16]
    assert at_once(16, ALONE, 1) == 16


def test_statements_of_one_tenant_at_once_get_less_memory_each_than_one_alone() -> None:
    settings = Settings(query_max_memory=8_000, query_max_result_bytes=16_000)
    slots = search_slots(
        settings, Directory("sqlite+aiosqlite://", 2.0, SystemClock()), CLOCK, ResultBudget.of(settings)
    )

    async def use() -> list[tuple[int, int]]:
        async with AsyncExitStack() as running:
            given = [await running.enter_async_context(slots.of(tenant)) for tenant in [1] * 9 + [2]]
            return [(each["max_memory_usage"], each["max_result_bytes"]) for each in given]

    memory, answers = zip(*asyncio.run(use()), strict=True)
    # The last statement is another tenant's. It gets the whole memory, whatever the first tenant has running.
    assert memory == (8_000, 4_000, 2_666, 2_000, 1_600, 1_333, 1_142, 1_000, 1_000, 8_000)
    assert answers == (16_000, 8_000, 5_333, 4_000, 3_200, 2_666, 2_285, 2_000, 2_000, 16_000)


def test_a_divided_limit_is_never_0_which_is_no_limit_for_clickhouse() -> None:
    assert [divided_limit(running, 1) for running in (1, 2, 9)] == [1, 1, 1]


def test_an_export_comes_behind_searches() -> None:
    assert priorities(export_slots(Settings(), CLOCK, ResultBudget.of(Settings())), [1]) == [3]


def test_a_slot_says_how_many_its_tenant_has() -> None:
    async def use() -> list[int]:
        queue, limits = FairQueue("test", 8, CLOCK), QueueLimits(4, 4, 1.0)
        async with queue.slot(1, limits) as first, queue.slot(2, limits) as other:
            async with queue.slot(1, limits) as second:
                pass
            async with queue.slot(1, limits) as again:
                return [first.running, other.running, second.running, again.running]

    assert asyncio.run(use()) == [1, 1, 2, 2]
