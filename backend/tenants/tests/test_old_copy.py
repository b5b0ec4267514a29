"""Tests that a search finds the records of a tenant that was moved after the last read of the control plane."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from backend.store import tables
from backend.store.scope import Scope, Scopes, TimeRange
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import TRUSTED_SECONDS, Directory
from schema.control.models import Purpose

NOW = 1_800_000_000 * 10**9
RANGE = TimeRange(NOW, NOW + 60 * 10**9)

Change = Callable[[TenantService], Awaitable[object]]


@pytest.mark.parametrize(
    ("change", "lane", "cohort"),
    [
        (lambda service: service.move("acme", lane=2), 2, "r7"),
        (lambda service: service.move("acme", "own"), 1, "t1"),
        (lambda service: service.set_retention("acme", 30), 1, "r30"),
    ],
    ids=["lane", "cohort", "retention"],
)
def test_an_old_copy_reads_every_lane_and_cohort(
    tmp_path: Path, control_url: str, change: Change, lane: int, cohort: str
) -> None:
    async def use() -> None:
        settings, clock = Settings(home=tmp_path, control_url=control_url), ManualClock(NOW)
        async with opened(settings.control_plane_url) as engine:
            service, scopes = TenantService(engine, clock), Scopes(settings, clock)
            backend, receiver = (Directory(settings.control_plane_url, 3600, clock) for _ in range(2))
            tenant_id = (await service.create_tenant("acme", 7, 4096, lane=1)).id
            key = (await keys_of(service).create_key("acme", Purpose.query, "")).text
            await backend.start()
            await change(service)

            def read() -> list[Scope]:
                tenants = (backend.grant(key).tenant, backend.tenant(tenant_id))
                return [scopes.of(tenant, RANGE) for tenant in tenants if tenant is not None]

            clock.advance(TRUSTED_SECONDS)
            assert [(scope.lanes, scope.cohorts) for scope in read()] == [((1,), ("r7",))] * 2
            clock.advance(1)
            await receiver.start()
            sent = receiver.grant(key).tenant
            assert (sent.lane, sent.cohort) == (lane, cohort)
            for scope in read():
                assert scope.lanes == (0, 1, 2, 3)
                for table in (tables.Table.logs, tables.Table.fields):
                    assert not [each for each in tables.conditions(table, scope) if "cohort" in each]
                    assert "cohorts" not in tables.parameters(table, scope)
            # The copy's own lane and cohort stay those of new records, as far as this process knows.
            assert (backend.grant(key).tenant.lane, backend.grant(key).tenant.cohort) == (1, "r7")
            await backend.refresh()
            assert [set(scope.lanes) for scope in read()] == [{1, lane}] * 2
            assert [set(scope.cohorts) for scope in read()] == [{"r7", cohort}] * 2
            await backend.stop()
            await receiver.stop()

    asyncio.run(use())
