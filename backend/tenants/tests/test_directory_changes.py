"""Tests that the directory reads only what changed, and ends with the same copy as a full read."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import event, insert, update
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.policies.service import PolicyService
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.settings import Settings
from schema.attribute_rules import Action
from schema.control.database import opened
from schema.control.limits import Limits
from schema.control.models import ApiKey, Purpose, TenantCohort, TenantRow
from schema.control.snapshot import Snapshot, read_changes, read_snapshot

NOW = 1_790_000_000_000_000_000
DEFAULTS = Limits(bytes_per_second=1000)
MANY = 300


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    return Settings(home=tmp_path, control_url=control_url)


class Reads:
    """Reads changes, and counts the statements and the changed tenants."""

    def __init__(self, connection: AsyncConnection, clock: ManualClock) -> None:
        self._connection = connection
        self._clock = clock
        self.statements: list[str] = []
        assert connection.sync_connection is not None
        event.listen(connection.sync_connection, "before_cursor_execute", self._count)

    def _count(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self.statements.append(statement)

    async def changes(self, last: Snapshot) -> Snapshot:
        self.statements.clear()
        found = await read_changes(self._connection, self._clock.now_ns(), DEFAULTS, last)
        await self._connection.rollback()
        return found

    async def all(self) -> Snapshot:
        found = await read_snapshot(self._connection, self._clock.now_ns(), DEFAULTS)
        await self._connection.rollback()
        return found


def run(settings: Settings, use: Callable[[TenantService, PolicyService, Reads, ManualClock], Awaitable[None]]) -> None:
    async def body() -> None:
        clock = ManualClock(NOW)
        async with opened(settings.control_plane_url) as engine:
            await _fill(settings)
            async with engine.connect() as connection:
                await use(TenantService(engine, clock), PolicyService(engine, clock), Reads(connection, clock), clock)

    asyncio.run(body())


async def _fill(settings: Settings) -> None:
    ids = range(1, MANY + 1)
    async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
        tenant = {"lane": 0, "body_max_bytes": 1, "created_at_ns": NOW}
        await connection.execute(insert(TenantRow), [{"name": f"t{i}"} | tenant for i in ids])
        cohort = {"since_ns": NOW, "cohort": "r1", "retention_days": 1}
        await connection.execute(insert(TenantCohort), [{"tenant_id": i} | cohort for i in ids])
        key = {"purpose": "query", "label": "", "created_at_ns": NOW}
        keys = [{"id": f"k{i}", "tenant_id": i, "sha256": f"{i}".encode()} | key for i in ids]
        await connection.execute(insert(ApiKey), keys)


def test_where_nothing_changed_one_row_is_read(settings: Settings) -> None:
    async def use(_tenants: TenantService, _rules: PolicyService, reads: Reads, _clock: ManualClock) -> None:
        last = await reads.all()
        assert (len(last.tenants), len(last.grants)) == (MANY, MANY)

        assert await reads.changes(last) is last
        assert len(reads.statements) == 1
        assert "control_revision" in reads.statements[0]

    run(settings, use)


def test_after_each_change_the_copy_is_what_a_read_of_everything_gives(settings: Settings) -> None:
    async def use(tenants: TenantService, rules: PolicyService, reads: Reads, _clock: ManualClock) -> None:
        last = await reads.all()
        changes: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: keys_of(tenants).create_key("t7", Purpose.ingest, ""),
            lambda: keys_of(tenants).revoke_key("k7"),
            lambda: tenants.set_limits("t8", {"bytes_per_day": 5}),
            lambda: rules.add("t9", "secret", False, Action.drop),
            lambda: rules.remove("t9", "secret", False),
            lambda: rules.add(None, "password", False, Action.mask),
            lambda: tenants.create_tenant("new", 7, 4096),
            lambda: tenants.delete_tenant("t10"),
        )
        for change in changes:
            await change()
            found = await reads.changes(last)
            everything = await reads.all()
            assert found is not last
            assert found.grants.keys() == everything.grants.keys()
            assert _shown(found) == _shown(everything)
            last = found
        assert (len(last.tenants), last.tenants[1].limits.bytes_per_second) == (MANY, 1000)

    run(settings, use)


def _shown(snapshot: Snapshot) -> dict[int, object]:
    """Returns tenants in a form that compares by value, because rules compare by identity."""
    return {
        each.id: (each.name, each.cohort, each.limits, each.attribute_rules.installation, each.attribute_rules.own)
        for each in snapshot.tenants.values()
    }


def test_one_changed_tenant_leaves_the_others_objects_alone(settings: Settings) -> None:
    async def use(tenants: TenantService, rules: PolicyService, reads: Reads, _clock: ManualClock) -> None:
        await rules.add("t7", "secret", False, Action.drop)
        last = await reads.all()
        await keys_of(tenants).create_key("t8", Purpose.ingest, "")
        await rules.add("t9", "secret", False, Action.drop)
        found = await reads.changes(last)

        assert {i for i in found.tenants if found.tenants[i] is not last.tenants[i]} == {8, 9}
        assert found.tenants[7].attribute_rules is last.tenants[7].attribute_rules
        assert found.tenants[8].attribute_rules is last.tenants[8].attribute_rules

    run(settings, use)


def test_an_announced_cohort_begins_without_a_change(settings: Settings) -> None:
    async def use(tenants: TenantService, _rules: PolicyService, reads: Reads, clock: ManualClock) -> None:
        await tenants.set_retention("t7", 90)
        last = await reads.all()
        assert last.tenants[7].retention_days == 1
        assert await reads.changes(last) is last
        clock.advance(10)
        found = await reads.changes(last)
        assert (found.tenants[7].retention_days, found.starts) == (90, {})

    run(settings, use)


def test_a_number_that_went_back_is_a_restored_backup_and_everything_is_read(settings: Settings) -> None:
    async def use(_tenants: TenantService, _rules: PolicyService, reads: Reads, _clock: ManualClock) -> None:
        last = await reads.all()
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(update(TenantRow).where(TenantRow.id == 7).values(body_max_bytes=77))
            await connection.exec_driver_sql("UPDATE control_revision SET number = 1")
        assert (await reads.changes(last)).tenants[7].body_max_bytes == 77

    run(settings, use)
