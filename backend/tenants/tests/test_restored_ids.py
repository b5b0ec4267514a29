"""Tests that no new tenant gets the id of a tenant that a restored control plane lacks, also if it was erased."""

import asyncio
from pathlib import Path

import pytest

from backend.tenants.erasures import ErasureService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.tenant_ids import SKIPPED_IDS


@pytest.mark.parametrize("tenants", [0, 2])
def test_a_new_tenant_gets_a_much_larger_id_than_all_stored_logs_have(
    tmp_path: Path, control_url: str, tenants: int
) -> None:
    async def use(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine:
            service, erasures = TenantService(engine, ManualClock()), ErasureService(engine, settings.consumer_groups)

            async def created(number: int) -> int:
                return (await service.create_tenant(f"t{number}", 7, 4096)).id

            known = [await created(number) for number in range(tenants)]
            stored = max([0, *known]) + 7
            await erasures.erase_all_again(stored)
            first = await created(100)
            assert first > stored + SKIPPED_IDS
            # The last id that was given may be larger than all stored ones.
            await erasures.erase_all_again(1)
            assert await created(101) > first + SKIPPED_IDS

    asyncio.run(use(Settings(home=tmp_path, control_url=control_url)))
