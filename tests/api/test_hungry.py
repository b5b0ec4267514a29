"""Tests that a search which needs too much memory fails by its own limit, and that other searches continue."""

import asyncio

from backend.store.execute import Executor
from backend.store.result_budget import ResultBudget
from backend.store.slots import search_slots
from kit.clickhouse import Account
from kit.clock import SystemClock
from kit.errors import QueryTooExpensive
from schema.control.directory import open_directory
from tests.raw_statement import raw_statement
from tests.running_stack import Stack

MAX_MEMORY_BYTES = 200_000_000
HUNGRY = raw_statement("SELECT uniqExact(number, toString(number)) FROM numbers(3000000000)", tenant_id=1)
MODEST = raw_statement("SELECT uniqExact(number) FROM numbers(1000)", tenant_id=2)


def test_the_hungry_statements_of_a_tenant_share_its_memory_and_are_the_ones_that_fail(stack: Stack) -> None:
    settings = stack.settings.model_copy(update={"query_max_memory": MAX_MEMORY_BYTES, "query_max_seconds": 300.0})

    async def use() -> list[object]:
        directory = open_directory(settings, SystemClock())
        slots = search_slots(settings, directory, SystemClock(), ResultBudget.of(settings))
        owner = Executor(settings, slots, Account.owner)
        try:
            hungry = [asyncio.create_task(owner.run(HUNGRY)) for _ in range(2)]
            while not all(each.done() for each in hungry):
                assert (await owner.run(MODEST)).rows == [(1000,)]
            return list(await asyncio.gather(*hungry, return_exceptions=True))
        finally:
            await owner.close()

    first, second = asyncio.run(use())
    assert isinstance(first, QueryTooExpensive), first
    assert isinstance(second, QueryTooExpensive), second
    # The limit of the first search is halved too if both begin at the same time.
    assert any(
        f"more than {limit:,} bytes of memory" in first.detail for limit in (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES // 2)
    )
    assert f"more than {MAX_MEMORY_BYTES // 2:,} bytes of memory" in second.detail
