"""Reads and writes the control plane's rows of dashboards. Holds a connection and never commits."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.dashboards.content import DashboardContent, panels_from_json, panels_to_json
from schema.control.models import Dashboard


@dataclass(frozen=True, slots=True)
class DashboardInfo:
    """A stored dashboard. `created_by` and `changed_by` name actors, as in the audit log."""

    id: str
    content: DashboardContent
    revision: int
    created_at_ns: int
    created_by: str
    changed_at_ns: int
    changed_by: str


class DashboardRepository:
    """Dashboards of one tenant. Its methods neither find nor change dashboards of other tenants."""

    def __init__(self, connection: AsyncConnection, tenant_id: int) -> None:
        self._connection = connection
        self._tenant_id = tenant_id

    async def all(self) -> list[DashboardInfo]:
        """Returns all dashboards by name."""
        rows = await self._connection.execute(select(Dashboard.__table__).where(self._owned()))
        # Sorted here, because each database sorts text by its own collation.
        return sorted(map(_info, rows), key=lambda each: each.content.name)

    async def count(self) -> int:
        return await self._connection.scalar(select(func.count()).select_from(Dashboard).where(self._owned())) or 0

    async def find(self, dashboard_id: str) -> DashboardInfo | None:
        row = (await self._connection.execute(select(Dashboard.__table__).where(self._is(dashboard_id)))).first()
        return None if row is None else _info(row)

    async def named(self, name: str) -> str | None:
        """Returns the id of the dashboard of that name, or None."""
        return await self._connection.scalar(select(Dashboard.id).where(self._owned(), Dashboard.name == name))

    async def add(self, dashboard: DashboardInfo) -> None:
        await self._connection.execute(
            insert(Dashboard).values(
                id=dashboard.id,
                tenant_id=self._tenant_id,
                created_at_ns=dashboard.created_at_ns,
                created_by=dashboard.created_by,
                **_saved(dashboard),
            )
        )

    async def change(self, dashboard: DashboardInfo) -> None:
        await self._connection.execute(update(Dashboard).where(self._is(dashboard.id)).values(**_saved(dashboard)))

    async def remove(self, dashboard_id: str) -> None:
        await self._connection.execute(delete(Dashboard).where(self._is(dashboard_id)))

    def _owned(self) -> ColumnElement[bool]:
        return Dashboard.tenant_id == self._tenant_id

    def _is(self, dashboard_id: str) -> ColumnElement[bool]:
        return self._owned() & (Dashboard.id == dashboard_id)


def _info(row: Any) -> DashboardInfo:
    panels = panels_from_json(row.panels)
    content = DashboardContent(row.name, row.range_start, row.range_end, row.refresh_seconds, panels)
    return DashboardInfo(
        row.id, content, row.revision, row.created_at_ns, row.created_by, row.changed_at_ns, row.changed_by
    )


def _saved(dashboard: DashboardInfo) -> dict[str, Any]:
    """Returns the columns that each save writes, and their values."""
    content = dashboard.content
    return {
        "name": content.name,
        "range_start": content.start,
        "range_end": content.end,
        "refresh_seconds": content.refresh_seconds,
        "panels": panels_to_json(content.panels),
        "revision": dashboard.revision,
        "changed_at_ns": dashboard.changed_at_ns,
        "changed_by": dashboard.changed_by,
    }
