"""Tests that tenants with the same lanes share what is known of the lanes' tables."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from backend.store.execute import RunsInSlot
from backend.store.plans.capabilities import MAX_AGES, Capabilities, CapabilitiesOfTables
from backend.store.rows import Cost
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock


class _Store(FakeLogStore):
    """A store without records, whose tables have text indexes. Tables of shard 2 have a token filter instead."""

    slots = 0

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[RunsInSlot]:
        self.slots += 1
        async with super().slot(tenant_id) as held:
            yield held

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        return [(1, 0, 1) if statement.shards != (2,) else (0, 1, 1)], Cost()


def scope(tenant_id: int, lane: int, shards: tuple[int, ...] = (0,)) -> Scope:
    return Scope(tenant_id, (lane,), ("r30",), TimeRange(0, tenant_id), shards)


def test_capabilities_of_tables_are_read_once_for_all_tenants_of_their_lanes() -> None:
    store = _Store([])
    known = CapabilitiesOfTables(store, ManualClock())

    async def read() -> list[Capabilities]:
        return [await known.of(scope(tenant_id, lane)) for tenant_id, lane in ((1, 0), (2, 0), (3, 1))]

    assert asyncio.run(read()) == [Capabilities(finds_words=True, is_lazy=True)] * 3
    assert [statement.tenant_id for statement in store.requested] == [1, 3]


def test_an_index_counts_only_if_the_tables_of_every_shard_have_it() -> None:
    store = _Store([])
    known = CapabilitiesOfTables(store, ManualClock())

    async def read() -> list[bool]:
        found = [await known.of(scope(1, 0, shards)) for shards in ((0, 1), (0, 1, 2), (2,), (1,))]
        return [each.finds_words for each in found]

    assert asyncio.run(read()) == [True, False, False, True]


def test_all_tables_are_read_in_one_slot_and_once_for_concurrent_searches() -> None:
    store, clock = _Store([]), ManualClock()
    known = CapabilitiesOfTables(store, clock)
    every = Scope(1, tuple(range(64)), ("r30",), TimeRange(0, 1), (0, 1))

    async def read() -> list[tuple[int, int]]:
        counts = list[tuple[int, int]]()
        for _ in range(2):
            await asyncio.gather(*(known.of(every) for _ in range(3)))
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)
            counts.append((store.slots, len(store.requested)))
            clock.advance(MAX_AGES.fresh)
        return counts

    assert asyncio.run(read()) == [(1, 128), (2, 256)]
