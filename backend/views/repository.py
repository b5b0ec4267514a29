"""Reads and writes the control plane's rows of saved views. Holds a connection and never commits."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.views.content import ViewContent, columns_from_json, columns_to_json
from schema.control.models import SavedView


@dataclass(frozen=True, slots=True)
class ViewInfo:
    """A stored view. `created_by` and `changed_by` name actors, as in the audit log."""

    id: str
    content: ViewContent
    revision: int
    created_at_ns: int
    created_by: str
    changed_at_ns: int
    changed_by: str

    @property
    def summary(self) -> "ViewSummary":
        content = self.content
        return ViewSummary(self.id, content.name, content.folder, content.is_default, self.revision)


@dataclass(frozen=True, slots=True)
class ViewSummary:
    """The part of a stored view that lists and the audit log show."""

    id: str
    name: str
    folder: str
    is_default: bool
    revision: int


_SUMMARY: Final = (SavedView.id, SavedView.name, SavedView.folder, SavedView.is_default, SavedView.revision)


class ViewRepository:
    """Views of one tenant. Its methods neither find nor change views of other tenants."""

    def __init__(self, connection: AsyncConnection, tenant_id: int) -> None:
        self._connection = connection
        self._tenant_id = tenant_id

    async def summaries(self) -> list[ViewSummary]:
        """Returns all views by folder and name. Views without a folder come first."""
        rows = await self._connection.execute(select(*_SUMMARY).where(self._owned()))
        # Sorted here, because each database sorts text by its own collation.
        return sorted((ViewSummary(*row) for row in rows), key=lambda view: (view.folder, view.name))

    async def count(self) -> int:
        return await self._connection.scalar(select(func.count()).select_from(SavedView).where(self._owned())) or 0

    async def find(self, view_id: str) -> ViewInfo | None:
        row = (await self._connection.execute(select(SavedView.__table__).where(self._is(view_id)))).first()
        if row is None:
            return None
        content = ViewContent(
            name=row.name,
            folder=row.folder,
            query=row.query,
            start=row.range_start,
            end=row.range_end,
            order="asc" if row.sort_order == "asc" else "desc",
            columns=columns_from_json(row.columns),
            chart_by=row.chart_by,
            chart_kind=row.chart_kind,
            is_default=row.is_default,
        )
        return ViewInfo(
            row.id, content, row.revision, row.created_at_ns, row.created_by, row.changed_at_ns, row.changed_by
        )

    async def named(self, name: str) -> str | None:
        """Returns the id of the view of that name, or None."""
        return await self._connection.scalar(select(SavedView.id).where(self._owned(), SavedView.name == name))

    async def add(self, view: ViewInfo) -> None:
        await self._connection.execute(
            insert(SavedView).values(
                id=view.id,
                tenant_id=self._tenant_id,
                created_at_ns=view.created_at_ns,
                created_by=view.created_by,
                **_saved(view),
            )
        )

    async def change(self, view: ViewInfo) -> None:
        await self._connection.execute(update(SavedView).where(self._is(view.id)).values(**_saved(view)))

    async def clear_default(self, saved: ViewInfo) -> list[ViewSummary]:
        """Makes sure that no view except `saved` is the default view. Returns the views that were, as they are now.

        They get a new revision, and the time and the author of the change of `saved`.
        """
        cleared = await self._connection.execute(
            update(SavedView)
            .where(self._owned(), SavedView.is_default, SavedView.id != saved.id)
            .values(
                is_default=False,
                revision=SavedView.revision + 1,
                changed_at_ns=saved.changed_at_ns,
                changed_by=saved.changed_by,
            )
            .returning(*_SUMMARY)
        )
        return [ViewSummary(*row) for row in cleared]

    async def remove(self, view_id: str) -> None:
        await self._connection.execute(delete(SavedView).where(self._is(view_id)))

    def _owned(self) -> ColumnElement[bool]:
        return SavedView.tenant_id == self._tenant_id

    def _is(self, view_id: str) -> ColumnElement[bool]:
        return self._owned() & (SavedView.id == view_id)


def _saved(view: ViewInfo) -> dict[str, Any]:
    """Returns the columns that each save writes, and their values."""
    content = view.content
    return {
        "name": content.name,
        "folder": content.folder,
        "query": content.query,
        "range_start": content.start,
        "range_end": content.end,
        "sort_order": content.order,
        "columns": columns_to_json(content.columns),
        "chart_by": content.chart_by,
        "chart_kind": content.chart_kind,
        "is_default": content.is_default,
        "revision": view.revision,
        "changed_at_ns": view.changed_at_ns,
        "changed_by": view.changed_by,
    }
