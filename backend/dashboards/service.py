"""Saves, lists, changes and deletes the dashboards of a tenant, each call in one transaction."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.dashboards.content import DashboardContent, check_content, check_views
from backend.dashboards.repository import DashboardInfo, DashboardRepository
from backend.saved_items import is_item_id, require_revision
from backend.views.repository import ViewInfo, ViewRepository
from kit.clock import Clock
from kit.errors import Conflict, InvalidRequest, NotFound
from schema.control.changes import Change, changing

MAX_DASHBOARDS: Final = 100
"""Largest number of dashboards of one tenant."""


@dataclass(frozen=True, slots=True)
class OpenedDashboard:
    """A dashboard and the views of its panels. Views that were deleted are missing."""

    dashboard: DashboardInfo
    views: list[ViewInfo]


class DashboardService:
    """Dashboards of tenants. Every change is written to the audit log."""

    def __init__(self, engine: AsyncEngine, clock: Clock, token_hex: Callable[[int], str] = secrets.token_hex) -> None:
        """`token_hex` returns the hexadecimal digits of that many random bytes, for ids."""
        self._engine = engine
        self._clock = clock
        self._token_hex = token_hex

    async def dashboards(self, tenant_id: int) -> list[DashboardInfo]:
        """Returns a tenant's dashboards by name."""
        async with self._engine.connect() as connection:
            return await DashboardRepository(connection, tenant_id).all()

    async def opened(self, tenant_id: int, dashboard_id: str) -> OpenedDashboard:
        """Returns one dashboard with its views. Raises NotFound, also for a dashboard of another tenant."""
        async with self._engine.connect() as connection:
            dashboard = await _found(DashboardRepository(connection, tenant_id), dashboard_id)
            views = ViewRepository(connection, tenant_id)
            ids = dict.fromkeys(panel.view for panel in dashboard.content.panels)
            found = [await views.find(each) for each in ids]
        return OpenedDashboard(dashboard, [view for view in found if view is not None])

    async def create(self, caller: Caller, content: DashboardContent) -> DashboardInfo:
        """Saves a new dashboard.

        Raises InvalidRequest for an invalid value, for a view that does not exist and for too many dashboards, Conflict
        for the name of another dashboard, NotFound for a deleted tenant.
        """
        check_content(content, self._clock.now_ns())
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            views = ViewRepository(change.connection, caller.tenant.id)
            if not await views.tenant_exists():
                raise NotFound("this tenant was deleted: dashboards can no longer be saved")
            if await repository.count() >= MAX_DASHBOARDS:
                raise InvalidRequest(
                    f"the tenant has {MAX_DASHBOARDS} dashboards, as many as it may have: delete one first"
                )
            check_views(content.panels, await _view_ids(change, caller))
            author, now_ns = caller.actor.name, change.now_ns
            dashboard = DashboardInfo(self._token_hex(6), content, 1, now_ns, author, now_ns, author)
            await _require_free_name(repository, dashboard)
            await repository.add(dashboard)
            await change.note("dashboard.create", _owner(caller), after=_shown(dashboard))
        return dashboard

    async def change(
        self, caller: Caller, dashboard_id: str, content: DashboardContent, revision: int
    ) -> DashboardInfo:
        """Replaces everything of a dashboard that users choose. `revision` is the revision that the caller has read.

        Panels that the dashboard has may keep a view that was deleted. Raises NotFound, RevisionConflict if the
        dashboard was changed after that revision, and what `create` raises except for too many dashboards.
        """
        check_content(content, self._clock.now_ns())
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            before = await _found(repository, dashboard_id)
            require_revision(_titled(before), before.revision, revision)
            kept = {panel.view for panel in before.content.panels}
            check_views(content.panels, kept | await _view_ids(change, caller))
            dashboard = replace(
                before,
                content=content,
                revision=before.revision + 1,
                changed_at_ns=change.now_ns,
                changed_by=caller.actor.name,
            )
            await _require_free_name(repository, dashboard)
            await repository.change(dashboard)
            await change.note("dashboard.change", _owner(caller), _shown(before), _shown(dashboard))
        return dashboard

    async def delete(self, caller: Caller, dashboard_id: str, revision: int | None) -> None:
        """Deletes a dashboard; with a revision, only that one. Raises NotFound, RevisionConflict."""
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            before = await _found(repository, dashboard_id)
            if revision is not None:
                require_revision(_titled(before), before.revision, revision)
            await repository.remove(dashboard_id)
            await change.note("dashboard.delete", _owner(caller), _shown(before))


async def _found(repository: DashboardRepository, dashboard_id: str) -> DashboardInfo:
    dashboard = await repository.find(dashboard_id) if is_item_id(dashboard_id) else None
    if dashboard is None:
        raise NotFound(f"there is no dashboard {dashboard_id[:100]!r}: it was deleted, or its id is wrong")
    return dashboard


async def _view_ids(change: Change, caller: Caller) -> set[str]:
    return {view.id for view in await ViewRepository(change.connection, caller.tenant.id).summaries()}


async def _require_free_name(repository: DashboardRepository, dashboard: DashboardInfo) -> None:
    name = dashboard.content.name
    if await repository.named(name) not in (None, dashboard.id):
        raise Conflict(f"there is a dashboard {name!r} already: give another name, or change that dashboard")


def _titled(dashboard: DashboardInfo) -> str:
    return f"dashboard {dashboard.content.name!r}"


def _owner(caller: Caller) -> tuple[int, str]:
    return caller.tenant.id, caller.tenant.name


def _shown(dashboard: DashboardInfo) -> dict[str, object]:
    content = dashboard.content
    return {
        "dashboard": dashboard.id,
        "name": content.name,
        "panels": len(content.panels),
        "revision": dashboard.revision,
    }
