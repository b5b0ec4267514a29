"""Reads and saves a tenant's views over the REST API."""

from typing import Any, Final, Literal

import httpx2
from pydantic import BaseModel

from backend.times import format_time
from backend.views.time_expression import resolve_time
from stack.client.saved_items import Items, ListedItem, SavedItems

_GIVEN: Final = frozenset(
    ("name", "folder", "query", "start", "end", "order", "columns", "chart_by", "chart_kind", "is_default", "revision")
)
"""Members of a view that a request to replace it contains."""


class ListedView(ListedItem):
    """A view in a list of views."""

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


def views(client: httpx2.Client) -> SavedItems[ListedView]:
    """Returns the views of the key's tenant, by folder and name."""
    return SavedItems(client, "views", "view", Items[ListedView], _GIVEN)


def read_view(client: httpx2.Client, name: str) -> SavedView:
    """Returns the view of that name. Raises NotFound, and what `SavedItems` raises."""
    raw = views(client).read(name)
    return SavedView.model_validate({**raw, "raw": raw})


def save_view(client: httpx2.Client, name: str, members: dict[str, Any]) -> bool:
    """Saves a view, or changes the given members of the view of that name. Returns true for a new view.

    Raises what `SavedItems` raises; SearchRefused also for a view that another client changed meanwhile.
    """
    saved = views(client)
    return saved.save(name, saved.stored(name), members)
