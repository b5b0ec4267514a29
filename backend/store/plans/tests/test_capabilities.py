"""Tests that tenants with the same lanes share what is known of the lanes' tables."""

import asyncio
from collections.abc import Sequence
from typing import Any

from backend.store.plans.capabilities import Capabilities, CapabilitiesOfTables
from backend.store.rows import Cost
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock


class _Store(FakeLogStore):
    """A store without records, whose tables have text indexes. Tables of shard 2 have a token filter instead."""

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
    assert [statement.shards for statement in store.requested] == [(0,), (1,), (2,)]
