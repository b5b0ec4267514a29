"""Tests that searches read all stored logs after a control plane was restored that lacks moves of tenants."""

import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import select

from backend.audit.service import AuditService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.lifecycles import read_lifecycles
from schema.control.models import Lane
from schema.control.restored_places import RestoredPlace, StoredPlace, restore_places
from schema.control.snapshot import read_snapshot
from schema.control.tenant import Tenant
from schema.migrate import migrate_control

NOW: Final = 1_800_000_000 * 10**9
ACME, GONE, UNKNOWN = 1, 2, 9
"""Ids of a tenant, of a deleted one, and of one that the backup does not have."""


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    settings = Settings(home=tmp_path, control_url=control_url, lanes=2)

    async def create() -> None:
        await migrate_control(settings)
        async with opened(settings.control_plane_url) as engine:
            tenants = TenantService(engine, ManualClock(NOW))
            assert (await tenants.create_tenant("acme", 30, 4096, lane=1)).id == ACME
            assert (await tenants.create_tenant("gone", 30, 4096, lane=0)).id == GONE
            await tenants.delete_tenant("gone")

    asyncio.run(create())
    return settings


def restored(settings: Settings, clock: ManualClock, stored: Collection[StoredPlace]) -> list[RestoredPlace]:
    async def restore() -> list[RestoredPlace]:
        async with opened(settings.control_plane_url) as engine, changing(engine, clock, this_user()) as change:
            return await restore_places(change, stored)

    return asyncio.run(restore())


def read_tenant(settings: Settings, clock: ManualClock) -> Tenant:
    async def read() -> Tenant:
        async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
            return (await read_snapshot(connection, clock.now_ns())).tenants[ACME]

    return asyncio.run(read())


@pytest.mark.parametrize("seconds", [0, 60])
def test_searches_read_the_lanes_and_cohorts_of_stored_logs(settings: Settings, seconds: int) -> None:
    clock = ManualClock(NOW)
    clock.advance(3600)
    stored = {
        StoredPlace(ACME, 1, "r30"),
        StoredPlace(ACME, 1, "t1"),
        StoredPlace(ACME, 5, "r7"),
        StoredPlace(GONE, 4, "r7"),
        StoredPlace(UNKNOWN, 4, "r7"),
    }
    found = restored(settings, clock, stored)
    assert found == [RestoredPlace("acme", 1, "t1", 30), RestoredPlace("acme", 5, "r7", 7)]
    written_until_ns = clock.now_ns()
    clock.advance(seconds)

    tenant = read_tenant(settings, clock)
    assert (tenant.lane, tenant.cohort, tenant.retention_days) == (1, "r30", 30)
    assert set(tenant.cohorts) == {"r30", "t1", "r7"}
    assert tenant.lanes.of_records_since(written_until_ns, 0) == (1, 5)
    assert restored(settings, clock, stored) == [], "a second run must find nothing more"


def test_restored_cohorts_are_kept_and_restored_lanes_are_known(settings: Settings) -> None:
    clock = ManualClock(NOW)
    restored(settings, clock, {StoredPlace(ACME, 5, "r90"), StoredPlace(ACME, 5, "t1")})

    async def read() -> None:
        async with opened(settings.control_plane_url) as engine:
            assert (await read_lifecycles(engine)).retention_days == {"r30": 30, "r90": 90, "t1": 30}
            async with engine.connect() as connection:
                assert sorted(await connection.scalars(select(Lane.number))) == [0, 1, 5]
            entries = await AuditService(engine).of_all(None, since_ns=0, below=None, limit=10)
            assert [each.action for each in entries][:3] == ["tenant.restore", "tenant.restore", "lane.create"]

    asyncio.run(read())


def test_a_control_plane_that_lacks_nothing_is_not_changed(settings: Settings) -> None:
    before = read_tenant(settings, ManualClock(NOW))
    assert restored(settings, ManualClock(NOW), {StoredPlace(ACME, 1, "r30")}) == []
    assert read_tenant(settings, ManualClock(NOW)) == before
