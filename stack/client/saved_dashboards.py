"""Reads and saves a tenant's dashboards over the REST API."""

from collections.abc import Sequence
from typing import Any, Final

import httpx2
from pydantic import BaseModel

from kit.errors import NotFound
from stack.client.query_api import parsed, requested
from stack.client.saved_views import list_views

_SECONDS: Final = 30.0
_GIVEN: Final = ("name", "start", "end", "refresh_seconds", "panels", "revision")
"""Members of a dashboard that a request to replace the dashboard contains."""


class ListedDashboard(BaseModel):
    """The members of a dashboard that commands use."""

    id: str
    name: str
    start: str
    end: str
    refresh_seconds: int | None
    panels: list[dict[str, Any]]


class _Dashboards(BaseModel):
    dashboards: list[ListedDashboard]


def list_dashboards(client: httpx2.Client) -> list[ListedDashboard]:
    """Returns all dashboards by name. Raises SearchRefused for a problem answer, Unavailable without one."""
    return parsed(_Dashboards, requested(client, "GET", "dashboards", _SECONDS).content).dashboards


def read_dashboard(client: httpx2.Client, name: str) -> dict[str, Any]:
    """Returns the API's object of the dashboard of that name, with its views. Raises NotFound, and what
    `list_dashboards` raises."""
    stored: dict[str, Any] = requested(client, "GET", f"dashboards/{_id_of(client, name)}", _SECONDS).json()
    return stored


def save_dashboard(client: httpx2.Client, name: str, members: dict[str, Any], views: Sequence[str] | None) -> bool:
    """Saves a dashboard, or changes the given members of the dashboard of that name. Returns true for a new one.

    `views` has the names of the views to show, in the order of their panels. A view that the dashboard shows already
    keeps the size of its panel. Raises NotFound for a view that does not exist, and what `list_dashboards` raises;
    SearchRefused also for a dashboard that another client changed meanwhile.
    """
    is_new = all(each.name != name for each in list_dashboards(client))
    stored = {} if is_new else read_dashboard(client, name)
    if views is not None:
        members = members | {"panels": _panels(client, views, stored.get("panels", []))}
    if is_new:
        requested(client, "POST", "dashboards", _SECONDS, {"name": name} | members)
    else:
        kept = {member: stored[member] for member in _GIVEN}
        requested(client, "PUT", f"dashboards/{stored['id']}", _SECONDS, kept | members)
    return is_new


def delete_dashboard(client: httpx2.Client, name: str) -> None:
    """Deletes the dashboard of that name. Raises NotFound, and what `list_dashboards` raises."""
    requested(client, "DELETE", f"dashboards/{_id_of(client, name)}", _SECONDS)


def _panels(client: httpx2.Client, views: Sequence[str], stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = {view.name: view.id for view in list_views(client)}
    if missing := next((view for view in views if view not in ids), None):
        raise NotFound(f"there is no view {missing!r}; `logsieve view list` shows all")
    panels = {panel["view"]: panel for panel in stored}
    return [panels.get(ids[view], {"view": ids[view]}) for view in views]


def _id_of(client: httpx2.Client, name: str) -> str:
    for dashboard in list_dashboards(client):
        if dashboard.name == name:
            return dashboard.id
    raise NotFound(f"there is no dashboard {name!r}; `logsieve dashboard list` shows all")
