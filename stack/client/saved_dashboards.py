"""Reads and saves a tenant's dashboards over the REST API."""

from collections.abc import Sequence
from typing import Any, Final

import httpx2

from kit.errors import NotFound
from stack.client import saved_views
from stack.client.saved_items import Items, ListedItem, SavedItems

_GIVEN: Final = ("name", "start", "end", "refresh_seconds", "panels", "revision")
"""Members of a dashboard that a request to replace the dashboard contains."""


class ListedDashboard(ListedItem):
    """The members of a dashboard that commands use."""

    start: str
    end: str
    refresh_seconds: int | None
    panels: list[dict[str, Any]]


def dashboards(client: httpx2.Client) -> SavedItems[ListedDashboard]:
    """Returns the dashboards of the key's tenant. `read` returns a dashboard with its views."""
    return SavedItems(client, "dashboards", "dashboard", Items[ListedDashboard], _GIVEN)


def save_dashboard(client: httpx2.Client, name: str, members: dict[str, Any], views: Sequence[str] | None) -> bool:
    """Saves a dashboard, or changes the given members of the dashboard of that name. Returns true for a new one.

    `views` has the names of the views to show, in the order of their panels. A view that the dashboard shows already
    keeps the size of its panel. Raises NotFound for a view that does not exist, and what `SavedItems` raises;
    SearchRefused also for a dashboard that another client changed meanwhile.
    """
    saved = dashboards(client)
    stored = saved.stored(name)
    if views is not None:
        panels = [] if stored is None else stored["panels"]
        members = members | {"panels": _panels(client, views, panels)}
    return saved.save(name, stored, members)


def _panels(client: httpx2.Client, views: Sequence[str], stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = {view.name: view.id for view in saved_views.views(client).all()}
    if missing := next((view for view in views if view not in ids), None):
        raise NotFound(f"there is no view {missing!r}; `logsieve view list` shows all")
    panels = {panel["view"]: panel for panel in stored}
    return [panels.get(ids[view], {"view": ids[view]}) for view in views]
