"""Tests that searches read all shards with stored logs after a control plane was restored that lacks some of them."""

import asyncio
from collections.abc import Collection
from pathlib import Path
from random import Random

from backend.audit.service import AuditService
from backend.tenants.service import TenantService
from ingest.loader.tenant_shards import RecordedShards
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.restored_places import StoredPlace
from schema.control.restored_shards import RestoredShards, restore_shards
from schema.control.tenant_shards import EVERY_SHARD, read_shards, record_shard
from schema.migrate import migrate_control
from tests.chance import SEED, repetitions

NOW = 1_800_000_000 * 10**9
UNKNOWN = 99


def place(tenant_id: int, *shards: int, cohort: str = "r30") -> StoredPlace:
    return StoredPlace(tenant_id, 0, cohort, NOW, NOW, frozenset(shards))


async def new_control(settings: Settings, names: Collection[str]) -> None:
    await migrate_control(settings)
    async with opened(settings.control_plane_url) as engine:
        for name in names:
            await TenantService(engine, ManualClock(NOW)).create_tenant(name, 30, 4096)


async def record(settings: Settings, recorded: dict[int, set[int]]) -> None:
    async with opened(settings.control_plane_url) as engine:
        for tenant_id, shards in recorded.items():
            for shard in sorted(shards):
                async with engine.begin() as connection:
                    await record_shard(connection, shard, [tenant_id])


async def restore(settings: Settings, stored: Collection[StoredPlace]) -> list[RestoredShards]:
    async with (
        opened(settings.control_plane_url) as engine,
        changing(engine, ManualClock(NOW), this_user()) as change,
    ):
        return await restore_shards(change, stored)


async def recorded_shards(settings: Settings) -> dict[int, frozenset[int]]:
    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return await read_shards(connection, None)


def test_shards_with_stored_logs_are_added_and_named_if_searches_did_not_read_them(
    tmp_path: Path, control_url: str
) -> None:
    async def use() -> None:
        settings = Settings(home=tmp_path, control_url=control_url, clickhouse_nodes=4)
        await new_control(settings, ["one", "all", "none", "two", "same", "gone"])
        await record(settings, {1: {0}, 2: {EVERY_SHARD}, 4: {0, 1}, 5: {2}, 6: {0}})
        async with opened(settings.control_plane_url) as engine:
            await TenantService(engine, ManualClock(NOW)).delete_tenant("gone")
        stored = [
            *(place(1, 1), place(1, 0, 3, cohort="r7")),
            *(place(2, 1), place(3, 0, 2), place(4, 3), place(5, 2), place(6, 1), place(UNKNOWN, 1)),
        ]
        assert await restore(settings, stored) == [RestoredShards("one", (1, 3))]
        assert await recorded_shards(settings) == {
            1: {0, 1, 3},
            2: {EVERY_SHARD},
            # Without the record of shard 2, the next record of a loader would hide the logs there.
            3: {0, 2},
            4: {0, 1, 3},
            5: {2},
            6: {0},
        }
        async with opened(settings.control_plane_url) as engine:
            entries = await AuditService(engine).of_all(None, since_ns=0, below=None, limit=100)
        noted = [(each.tenant, each.after) for each in entries if each.action == "tenant.restore"]
        assert sorted(noted) == [("none", {"shards": [0, 2]}), ("one", {"shards": [1, 3]}), ("two", {"shards": [3]})]
        assert await restore(settings, stored) == []

    asyncio.run(use())


def test_no_stored_log_is_hidden_whatever_the_backup_lacks(tmp_path: Path, control_url: str) -> None:
    """Compares the recorded shards with the stored logs after a restore and after records of a loader that was started
    after it."""
    random = Random(SEED)
    count = repetitions(200)
    settings = Settings(home=tmp_path, control_url=control_url, clickhouse_nodes=4)
    asyncio.run(new_control(settings, [f"tenant{number}" for number in range(count)]))
    tenants = range(1, count + 1)
    shards = [EVERY_SHARD, *range(4)]
    asyncio.run(record(settings, {each: {*random.sample(shards, random.randrange(3))} for each in tenants}))
    stored = {each: {*random.sample(range(4), random.randrange(5))} for each in tenants}
    asyncio.run(restore(settings, [place(each, *stored[each]) for each in tenants if stored[each]]))
    loader = RecordedShards(settings)
    for each in tenants:
        if random.random() < 0.5:
            stored[each].add(shard := random.randrange(4))
            loader.record(shard, [each])
    found = asyncio.run(recorded_shards(settings))
    for each in tenants:
        recorded = found.get(each, frozenset({EVERY_SHARD}))
        assert EVERY_SHARD in recorded or stored[each] <= recorded, (SEED, each, stored[each], recorded)
