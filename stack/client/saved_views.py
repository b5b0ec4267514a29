"""Reads and saves a tenant's views over the REST API."""

from typing import Any, Literal

import httpx2
from pydantic import BaseModel

from backend.times import format_time
from backend.views.time_expression import resolve_time
from kit.errors import NotFound
from stack.client.query_api import parsed, requested

_SECONDS = 30.0
_GIVEN = frozenset(
    ("name", "folder", "query", "start", "end", "order", "columns", "chart_by", "chart_kind", "is_default", "revision")
)
"""Members of a view that a request to replace it contains."""


class ListedView(BaseModel):
    """A view in a list of views."""

    id: str
    name: str
    folder: str
    is_default: bool


class SavedView(BaseModel):
    """The members of a view that commands use; `raw` is the API's whole object."""

    id: str
    name: str
    query: str
    start: str
    end: str
    order: Literal["asc", "desc"]
    revision: int
    raw: dict[str, Any]

    def range(self, now_ns: int) -> tuple[str, str]:
        """Returns both ends of the view's range at `now_ns` as RFC 3339."""
        start, end = resolve_time(self.start, now_ns, "start"), resolve_time(self.end, now_ns, "end")
        return format_time(start), format_time(end)


class _Views(BaseModel):
    views: list[ListedView]


def list_views(client: httpx2.Client) -> list[ListedView]:
    """Returns all views by folder and name. Raises SearchRefused for a problem answer, Unavailable without one."""
    return parsed(_Views, requested(client, "GET", "views", _SECONDS).content).views


def read_view(client: httpx2.Client, name: str) -> SavedView:
    """Returns the view of that name. Raises NotFound, and the errors of `list_views`."""
    raw: dict[str, Any] = requested(client, "GET", f"views/{_id_of(client, name)}", _SECONDS).json()
    return SavedView.model_validate({**raw, "raw": raw})


def save_view(client: httpx2.Client, name: str, members: dict[str, Any]) -> bool:
    """Saves a view, or changes the given members of the view of that name. Returns true for a new view.

    Raises what `list_views` raises; SearchRefused also for a view that somebody else changed meanwhile.
    """
    if all(each.name != name for each in list_views(client)):
        requested(client, "POST", "views", _SECONDS, {"name": name} | members)
        return True
    stored = read_view(client, name)
    kept = {member: value for member, value in stored.raw.items() if member in _GIVEN}
    requested(client, "PUT", f"views/{stored.id}", _SECONDS, kept | members)
    return False


def delete_view(client: httpx2.Client, name: str) -> None:
    """Deletes the view of that name. Raises NotFound, and what `list_views` raises."""
    requested(client, "DELETE", f"views/{_id_of(client, name)}", _SECONDS)


def _id_of(client: httpx2.Client, name: str) -> str:
    for view in list_views(client):
        if view.name == name:
            return view.id
    raise NotFound(f"there is no view {name!r}; `logsieve view list` shows all")
