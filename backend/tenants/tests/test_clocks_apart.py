"""Tests that a host whose clock is behind sees, and changes, a tenant that another host has just created."""

import asyncio
from pathlib import Path

from backend.tenants.changes import TenantChanges
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import Directory
from schema.control.models import Purpose
from schema.control.tenant_lanes import PlacedSince, TenantLanes, lanes_at

NOW = 1_790_000_000_000_000_000


def test_a_new_tenant_is_in_force_although_the_clock_is_behind(tmp_path: Path, control_url: str) -> None:
    async def use(settings: Settings) -> None:
        behind = ManualClock(NOW - 10**9)
        async with opened(settings.control_plane_url) as engine:
            ahead, service = TenantService(engine, ManualClock(NOW)), TenantService(engine, behind)
            made = await ahead.create_tenant("acme", 7, 4096)
            key = await keys_of(ahead).create_key("acme", Purpose.ingest, "")
            assert await service.tenant("acme") == made
            assert await service.tenants() == [made]
            changed = await service.change_tenant("acme", TenantChanges(retention_days=30, body_max_bytes=100))
            assert (changed.cohort_in_force, changed.cohort, changed.body_max_bytes) == ("r7", "r30", 100)
        directory = Directory(settings.control_plane_url, 60, behind)
        await directory.refresh()
        tenant = directory.grant(key.text).tenant
        assert (tenant.cohort, tenant.lane) == ("r7", made.lane)
        await directory.stop()

    asyncio.run(use(Settings(home=tmp_path, control_url=control_url)))


def test_the_first_place_has_begun_at_any_time() -> None:
    placed = [PlacedSince(NOW, "r7", 7, 2), PlacedSince(NOW + 5, "r7", 7, 3)]
    assert lanes_at(NOW - 1, 2, placed) == TenantLanes(2, planned=(3,))
