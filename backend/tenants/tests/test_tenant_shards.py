"""Tests which shards a search of a tenant reads, by the record in the control plane."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.store.scope import Scopes, TimeRange
from backend.tenants.repository import TenantRepository
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.directory import TRUSTED_SECONDS, Directory
from schema.control.models import Purpose
from schema.control.tenant_shards import EVERY_SHARD, read_shards, record_shard
from schema.migrate import migrate_control
from tests.control_database import until_waiting

NOW = 1_700_000_000 * 10**9
EVERY = (0, 1, 2)


class Store:
    """A control plane with the tenant acme, the copy of a backend, and its scopes over three shards."""

    def __init__(self, settings: Settings, engine: AsyncEngine, clock: ManualClock) -> None:
        self.settings, self.engine, self.clock = settings, engine, clock
        self.service = TenantService(engine, clock)
        self.directory = Directory(settings.control_plane_url, 3600, clock)
        self._scopes = Scopes(settings, clock)
        self.key = ""
        self.tenant_id = 0

    async def record(self, *shards: int) -> None:
        async with self.engine.begin() as connection:
            for shard in shards:
                await record_shard(connection, shard, [self.tenant_id, 999])
        await self.directory.refresh()

    def read(self) -> tuple[int, ...]:
        return self._scopes.of(self.directory.grant(self.key).tenant, TimeRange(0, 1)).shards


def run(tmp_path: Path, control_url: str, use: Callable[[Store], Awaitable[None]]) -> None:
    async def body() -> None:
        settings = Settings(home=tmp_path, control_url=control_url, clickhouse_nodes=len(EVERY))
        await migrate_control(settings)
        async with opened(settings.control_plane_url) as engine:
            store = Store(settings, engine, ManualClock(NOW))
            store.tenant_id = (await store.service.create_tenant("acme", 7, 4096)).id
            store.key = (await keys_of(store.service).create_key("acme", Purpose.query, "")).text
            await store.directory.start()
            try:
                await use(store)
            finally:
                await store.directory.stop()

    asyncio.run(body())


def test_every_shard_is_read_until_one_is_recorded(tmp_path: Path, control_url: str) -> None:
    async def use(store: Store) -> None:
        assert store.read() == EVERY
        await store.record(1)
        assert store.read() == (1,)
        await store.record(1)
        assert store.read() == (1,)

    run(tmp_path, control_url, use)


def test_a_second_shard_is_read_through_all(tmp_path: Path, control_url: str) -> None:
    async def use(store: Store) -> None:
        await store.record(1, 2)
        assert store.read() == EVERY

    run(tmp_path, control_url, use)


@pytest.mark.parametrize(("age", "shards"), [(TRUSTED_SECONDS, (1,)), (TRUSTED_SECONDS + 1, EVERY)])
def test_an_old_copy_reads_every_shard(tmp_path: Path, control_url: str, age: float, shards: tuple[int, ...]) -> None:
    async def use(store: Store) -> None:
        await store.record(1)
        store.clock.advance(age)
        assert store.read() == shards
        await store.directory.refresh()
        assert store.read() == (1,)

    run(tmp_path, control_url, use)


def test_tenants_from_before_the_record_may_be_anywhere(tmp_path: Path, control_url: str) -> None:
    async def use(store: Store) -> None:
        async with store.engine.begin() as connection:
            await connection.execute(text("DELETE FROM shard"))
        await migrate_control(store.settings)
        await store.record(1)
        assert store.read() == EVERY

    run(tmp_path, control_url, use)


def test_a_migration_that_adds_no_shard_records_nothing(tmp_path: Path, control_url: str) -> None:
    """Otherwise, a tenant that has sent nothing before would need all shards from then on."""

    async def use(store: Store) -> None:
        await migrate_control(store.settings)
        await store.record(1)
        assert store.read() == (1,)

    run(tmp_path, control_url, use)


def test_a_migration_after_the_first_record_changes_nothing(tmp_path: Path, control_url: str) -> None:
    async def use(store: Store) -> None:
        await store.record(1)
        await migrate_control(store.settings)
        await store.directory.refresh()
        assert store.read() == (1,)

    run(tmp_path, control_url, use)


def test_tenants_of_a_time_with_one_shard_are_on_every_shard_after_one_is_added_again(
    tmp_path: Path, control_url: str
) -> None:
    async def use(store: Store) -> None:
        await store.record(2)
        other = await store.service.create_tenant("other", 7, 4096)
        async with store.engine.begin() as connection:
            await record_shard(connection, 0, [other.id])
            # docs/decisions/0013-an-intent-names-its-shard.md, for shards 1 and 2.
            await connection.execute(text("DELETE FROM tenant_shard WHERE shard IN (1, 2)"))
            await connection.execute(text("DELETE FROM shard WHERE number IN (1, 2)"))
        # Loaders of one shard store rows of the tenant, and record nothing.
        await migrate_control(store.settings)
        await store.record(1)
        assert store.read() == EVERY
        async with store.engine.connect() as connection:
            assert (await read_shards(connection, [other.id])) == {other.id: {0}}

    run(tmp_path, control_url, use)


def test_deleted_tenants_are_not_recorded(tmp_path: Path, control_url: str) -> None:
    async def use(store: Store) -> None:
        await store.service.delete_tenant("acme")
        await migrate_control(store.settings)
        async with store.engine.connect() as connection:
            assert await read_shards(connection, None) == {}

    run(tmp_path, control_url, use)


async def _migrate(settings: Settings) -> None:
    await migrate_control(settings)


@pytest.mark.parametrize("recorded", [(3,), (0, 3), (EVERY_SHARD, 3)], ids=str)
def test_rows_on_a_shard_that_the_settings_do_not_name_are_not_left_out(
    tmp_path: Path, control_url: str, recorded: tuple[int, ...]
) -> None:
    async def use(store: Store) -> None:
        await store.record(*recorded)
        for age in (0, TRUSTED_SECONDS + 1):
            store.clock.advance(age)
            with pytest.raises(Unavailable, match=r"on shard 3, .*: restart the process with the LOGSIEVE_CLICKHOUSE"):
                store.read()

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("by", ["loader", "migrate"])
def test_a_record_waits_for_the_deletion_of_its_tenant(tmp_path: Path, control_url: str, by: str) -> None:
    async def use(store: Store) -> None:
        more = Settings(home=tmp_path, control_url=control_url, clickhouse_nodes=len(EVERY) + 1)

        async with changing(store.engine, store.clock, this_user()) as change:
            recording = asyncio.create_task(store.record(1) if by == "loader" else _migrate(more))
            await until_waiting(recording, store.engine)
            await TenantRepository(change.connection).delete_tenant(store.tenant_id, NOW)
            await change.note("tenant.delete", (store.tenant_id, "acme"))
        await recording
        async with store.engine.connect() as connection:
            assert await read_shards(connection, None) == {}

    run(tmp_path, control_url, use)
