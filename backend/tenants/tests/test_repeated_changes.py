"""Tests that a change to values that a tenant or a key has already writes nothing, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.tenants.changes import TenantChanges
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.limits import Limits
from schema.control.models import AuditEntry, Purpose, TenantCohort

NOW = 1_790_000_000_000_000_000
DEFAULTS = Limits(bytes_per_day=5)

Change = Callable[[TenantService], Awaitable[object]]


CHANGES: dict[str, Change] = {
    "same retention": lambda service: service.set_retention("acme", 7),
    "new retention": lambda service: service.set_retention("acme", 30),
    "body": lambda service: service.change_tenant("acme", TenantChanges(body_max_bytes=100)),
    "limit": lambda service: service.set_limits("acme", {"bytes_per_second": 5, "partitions": 8}),
    "limit equal to the default": lambda service: service.set_limits("acme", {"bytes_per_day": 5}),
    "all limits": lambda service: service.replace_limits("acme", {"records_per_second": 5}),
}


async def written(engine: AsyncEngine) -> tuple[int, int]:
    """Returns the numbers of places and of audit entries."""
    async with engine.connect() as connection:
        places = await connection.scalar(select(func.count()).select_from(TenantCohort))
        entries = await connection.scalar(select(func.count()).select_from(AuditEntry))
    return places or 0, entries or 0


@pytest.mark.parametrize("name", CHANGES)
def test_a_second_identical_change_writes_nothing(tmp_path: Path, control_url: str, name: str) -> None:
    async def use(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, ManualClock(NOW), defaults=DEFAULTS)
            await service.create_tenant("acme", 7, 4096)
            new = await written(engine)
            first = await CHANGES[name](service)
            places, entries = await written(engine)
            assert (places, entries) == (
                new[0] + (name == "new retention"),
                new[1] + (name != "same retention"),
            )
            newest = (await AuditService(engine).of_all("acme", since_ns=0, below=None, limit=1))[0]
            assert newest.before != newest.after
            assert await CHANGES[name](service) == first
            assert await written(engine) == (places, entries)

    asyncio.run(use(Settings(home=tmp_path, control_url=control_url)))


def test_the_label_that_a_key_has_and_a_second_revocation_write_nothing(tmp_path: Path, control_url: str) -> None:
    async def use(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, ManualClock(NOW))
            await service.create_tenant("acme", 7, 4096)
            key = await keys_of(service).create_key("acme", Purpose.query, "laptop")
            new = await written(engine)
            await keys_of(service).label_key(key.id, "laptop")
            assert await written(engine) == new
            await keys_of(service).revoke_key(key.id)
            revoked = await written(engine)
            assert revoked == (new[0], new[1] + 1)
            await keys_of(service).revoke_key(key.id)
            assert await written(engine) == revoked

    asyncio.run(use(Settings(home=tmp_path, control_url=control_url)))
