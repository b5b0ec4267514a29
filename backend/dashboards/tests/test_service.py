"""Tests how dashboards are saved, changed and deleted, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.caller import Caller
from backend.dashboards.content import MAX_PANELS, DashboardContent, Panel
from backend.dashboards.service import MAX_DASHBOARDS, DashboardService
from backend.tenants.service import TenantService
from backend.tests.callers import two_callers
from backend.views.content import ViewContent
from backend.views.service import ViewService
from kit.clock import ManualClock
from kit.errors import Conflict, InvalidRequest, NotFound, RevisionConflict, Unauthenticated
from kit.settings import Settings
from schema.control.erase_rows import erase_rows
from schema.control.models import Dashboard

NOW = 1_790_000_000_000_000_000
EMPTY = DashboardContent("Shop", "now-6h", "now", 60, ())
ERRORS = ViewContent("Errors", "", "error", "now-1h", "now", "desc", (), None, None, False)


@dataclass(frozen=True, slots=True)
class World:
    """A control plane with tenants acme and other, a caller of each, and a view of each."""

    engine: AsyncEngine
    service: DashboardService
    views: ViewService
    acme: Caller
    other: Caller
    view: str
    other_view: str


def run(home: Path, control_url: str | None, use: Callable[[World], Awaitable[None]]) -> None:
    """Runs a test on a migrated control plane, without a URL on the one in `home`."""
    settings = Settings(home=home, control_url=control_url)

    async def body() -> None:
        clock = ManualClock(NOW)
        async with two_callers(settings, clock) as callers:
            engine, acme, other = callers.engine, callers.acme, callers.other
            views = ViewService(engine, clock, callers.queries)
            view, other_view = [(await views.create(caller, ERRORS)).id for caller in (acme, other)]
            await use(World(engine, DashboardService(engine, clock), views, acme, other, view, other_view))

    asyncio.run(body())


def shop(*views: str) -> DashboardContent:
    return replace(EMPTY, panels=tuple(Panel(view, "", 1, 2) for view in views))


def test_a_dashboard_is_saved_opened_changed_and_deleted(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        made = await service.create(acme, shop(world.view, world.view))
        opened_one = await service.opened(acme.tenant.id, made.id)
        assert opened_one.dashboard == made
        assert [view.content for view in opened_one.views] == [ERRORS]

        wide = replace(EMPTY, name="Wide", refresh_seconds=None, panels=(Panel(world.view, "All errors", 3, 1),))
        changed = await service.change(acme, made.id, wide, 1)
        assert (changed.content, changed.revision) == (wide, 2)
        assert await service.dashboards(acme.tenant.id) == [changed]

        await service.delete(acme, made.id, 2)
        assert await service.dashboards(acme.tenant.id) == []

    run(tmp_path, control_url, use)


def test_panels_of_deleted_views_stay_until_they_are_removed(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        made = await service.create(acme, shop(world.view))
        await world.views.delete(acme, world.view, None)
        assert (await service.opened(acme.tenant.id, made.id)).views == []
        await service.change(acme, made.id, replace(made.content, name="Renamed"), 1)
        await service.change(acme, made.id, EMPTY, 2)
        with pytest.raises(InvalidRequest, match="no view has this id"):
            await service.change(acme, made.id, shop(world.view), 3)

    run(tmp_path, control_url, use)


def test_an_older_revision_overwrites_nothing(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        made = await service.create(acme, EMPTY)
        changes = [service.change(acme, made.id, replace(EMPTY, start=f"now-{hours}h"), 1) for hours in (1, 2, 3)]
        results = await asyncio.gather(*changes, return_exceptions=True)
        assert sum(isinstance(each, RevisionConflict) for each in results) == 2
        with pytest.raises(RevisionConflict, match="dashboard 'Shop' has revision 2"):
            await service.delete(acme, made.id, 1)

    run(tmp_path, control_url, use)


def test_nothing_of_another_tenant_is_reached(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        theirs = await service.create(world.other, shop(world.other_view))
        for request in (
            service.opened(acme.tenant.id, theirs.id),
            service.change(acme, theirs.id, EMPTY, 1),
            service.delete(acme, theirs.id, None),
        ):
            with pytest.raises(NotFound):
                await request
        with pytest.raises(InvalidRequest, match="no view has this id"):
            await service.create(acme, shop(world.other_view))
        assert await service.dashboards(acme.tenant.id) == []
        assert await service.dashboards(world.other.tenant.id) == [theirs]

    run(tmp_path, control_url, use)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": " a"}, "`name` begins or ends with a space"),
        ({"start": "yesterday"}, "start is `yesterday`"),
        ({"start": "now", "end": "now-1h"}, "the range from now to now-1h is empty"),
        ({"refresh_seconds": 9}, "`refresh_seconds` is 9"),
        ({"panels": (Panel("x", "", 1, 1),)}, "`panels.view` is 'x'"),
        ({"panels": (Panel("0" * 12, "a\nb", 1, 1),)}, "`panels.title` begins"),
        ({"panels": (Panel("0" * 12, "", 4, 1),)}, "`panels.width` is 4"),
        ({"panels": (Panel("0" * 12, "", 1, 0),)}, "`panels.height` is 0"),
        ({"panels": (Panel("0" * 12, "", 1, 1),) * (MAX_PANELS + 1)}, "has 25 panels"),
    ],
)
def test_invalid_values_are_refused(control_home: Path, change: dict[str, object], reason: str) -> None:
    async def use(world: World) -> None:
        members = {name: getattr(EMPTY, name) for name in DashboardContent.__slots__} | change
        with pytest.raises(InvalidRequest, match=reason):
            await world.service.create(world.acme, DashboardContent(**members))
        assert await world.service.dashboards(world.acme.tenant.id) == []

    run(control_home, None, use)


def test_names_and_numbers_of_dashboards_are_limited(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        await service.create(acme, EMPTY)
        await service.create(world.other, EMPTY)
        with pytest.raises(Conflict, match="'Shop' exists already"):
            await service.create(acme, EMPTY)
        async with world.engine.begin() as connection:
            row = dict((await connection.execute(select(Dashboard.__table__))).mappings().first() or {})
            row["tenant_id"] = acme.tenant.id
            rows = [{**row, "id": f"{number:012}", "name": str(number)} for number in range(MAX_DASHBOARDS - 1)]
            await connection.execute(insert(Dashboard), rows)
        with pytest.raises(InvalidRequest, match=f"{MAX_DASHBOARDS} dashboards"):
            await service.create(acme, replace(EMPTY, name="one more"))

    run(tmp_path, control_url, use)


def test_a_deleted_tenants_dashboards_are_erased(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, shop(world.view))
        await world.service.create(world.other, EMPTY)
        await TenantService(world.engine, ManualClock(NOW)).delete_tenant("acme")
        async with world.engine.begin() as connection:
            assert (await erase_rows(connection, world.acme.tenant.id))["dashboard"] == (1, 0)
        with pytest.raises(Unauthenticated):
            await world.service.create(world.acme, EMPTY)
        async with world.engine.connect() as connection:
            assert await connection.scalar(select(func.count()).select_from(Dashboard)) == 1

    run(tmp_path, control_url, use)


def test_the_audit_log_names_changes(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        made = await world.service.create(world.acme, shop(world.view))
        await world.service.change(world.acme, made.id, replace(EMPTY, name="Store"), 1)
        await world.service.delete(world.acme, made.id, None)
        entries = await AuditService(world.engine).of_tenant(world.acme.tenant.id, since_ns=0, below=None, limit=3)
        assert [each.action for each in entries] == ["dashboard.delete", "dashboard.change", "dashboard.create"]
        assert [each.after.get("panels") for each in entries] == [None, 0, 1]

    run(tmp_path, control_url, use)
