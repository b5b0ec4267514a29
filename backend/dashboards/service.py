"""Saves, lists, changes and deletes the dashboards of a tenant, each call in one transaction."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.dashboards.content import DashboardContent, check_content, check_views
from backend.dashboards.repository import DashboardInfo, DashboardRepository
from backend.saved_items import ItemKind
from backend.views.repository import ViewInfo, ViewRepository
from kit.clock import Clock
from schema.control.changes import Change, changing

MAX_DASHBOARDS: Final = 100
"""Largest number of dashboards of one tenant."""

_DASHBOARD: Final = ItemKind("a", "dashboard")


@dataclass(frozen=True, slots=True)
class OpenedDashboard:
    """A dashboard and the views of its panels. Deleted views are not among them."""

    dashboard: DashboardInfo
    views: list[ViewInfo]


class DashboardService:
    """Reads and changes the dashboards of tenants. Writes every change to the audit log."""

    def __init__(self, engine: AsyncEngine, clock: Clock, token_hex: Callable[[int], str] = secrets.token_hex) -> None:
        """`token_hex` returns a number of random bytes as hexadecimal digits, from which ids are made."""
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
            dashboard = await _DASHBOARD.found(DashboardRepository(connection, tenant_id).find, dashboard_id)
            views = ViewRepository(connection, tenant_id)
            ids = dict.fromkeys(panel.view for panel in dashboard.content.panels)
            found = [await views.find(each) for each in ids]
        return OpenedDashboard(dashboard, [view for view in found if view is not None])

    async def create(self, caller: Caller, content: DashboardContent) -> DashboardInfo:
        """Saves a new dashboard.

        Raises InvalidRequest for an invalid value, a view that does not exist or too many dashboards, Conflict if
        another dashboard has the name.
        """
        check_content(content, self._clock.now_ns())
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            _DASHBOARD.require_room(await repository.count(), MAX_DASHBOARDS)
            check_views(content.panels, await _view_ids(change, caller))
            author, now_ns = caller.actor.name, change.now_ns
            dashboard = DashboardInfo(self._token_hex(6), content, 1, now_ns, author, now_ns, author)
            _DASHBOARD.require_free(content.name, await repository.named(content.name), dashboard.id)
            await repository.add(dashboard)
            await change.note("dashboard.create", caller.owner, after=_shown(dashboard))
        return dashboard

    async def change(
        self, caller: Caller, dashboard_id: str, content: DashboardContent, revision: int
    ) -> DashboardInfo:
        """Replaces the content of a dashboard. `revision` is the revision that the caller has read.

        Views of panels must exist, except deleted views that the dashboard had before. Raises NotFound,
        RevisionConflict if the dashboard was changed after that revision, and the errors of `create`, except the one
        for too many dashboards.
        """
        check_content(content, self._clock.now_ns())
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            before = await _DASHBOARD.found(repository.find, dashboard_id)
            _DASHBOARD.require_revision(before.content.name, before.revision, revision)
            kept = {panel.view for panel in before.content.panels}
            check_views(content.panels, kept | await _view_ids(change, caller))
            dashboard = replace(
                before,
                content=content,
                revision=before.revision + 1,
                changed_at_ns=change.now_ns,
                changed_by=caller.actor.name,
            )
            _DASHBOARD.require_free(content.name, await repository.named(content.name), dashboard.id)
            await repository.change(dashboard)
            await change.note("dashboard.change", caller.owner, _shown(before), _shown(dashboard))
        return dashboard

    async def delete(self, caller: Caller, dashboard_id: str, revision: int | None) -> None:
        """Deletes a dashboard. Raises NotFound, and RevisionConflict if a revision is given and the dashboard has
        another one."""
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = DashboardRepository(change.connection, caller.tenant.id)
            before = await _DASHBOARD.found(repository.find, dashboard_id)
            _DASHBOARD.require_revision(before.content.name, before.revision, revision)
            await repository.remove(dashboard_id)
            await change.note("dashboard.delete", caller.owner, _shown(before))


async def _view_ids(change: Change, caller: Caller) -> set[str]:
    return {view.id for view in await ViewRepository(change.connection, caller.tenant.id).summaries()}


def _shown(dashboard: DashboardInfo) -> dict[str, object]:
    content = dashboard.content
    return {
        "dashboard": dashboard.id,
        "name": content.name,
        "panels": len(content.panels),
        "revision": dashboard.revision,
    }
