"""Reads and saves a tenant's alert rules over the REST API."""

from typing import Any, Final

import httpx2

from kit.errors import InvalidRequest
from stack.client.saved_items import Items, ListedItem, SavedItems

_GIVEN: Final = (
    *("name", "query", "range_seconds", "interval_seconds", "condition", "for_seconds", "severity", "labels"),
    "revision",
)
"""Members of a rule that a request to replace the rule contains. `channels` is not among them, so that the rule keeps
its channels."""

_NEEDED: Final = {
    "query": "a query, such as 'error | stats count()'",
    "condition": "a condition, such as --when 'count() > 5'",
}
"""Members that a new rule must have, and how the command takes them."""


class ListedAlert(ListedItem):
    """The members of a rule that `logsieve alert list` shows."""

    query: str
    state: str
    severity: str
    detail: str
    evaluated_at: str | None
    muted_until: str | None


def alerts(client: httpx2.Client) -> SavedItems[ListedAlert]:
    """Returns the rules of the key's tenant. `read` returns the rule (`alert`) and its groups that are pending or
    firing (`groups`)."""
    return SavedItems(client, "alerts", "alert rule", Items[ListedAlert], _GIVEN)


def save_alert(client: httpx2.Client, name: str, members: dict[str, Any]) -> bool:
    """Saves a rule, or changes the given members of the rule of that name. Returns true for a new rule.

    Raises what `SavedItems` raises; SearchRefused also for a rule that another client changed meanwhile; and
    InvalidRequest for a new rule without a query or a condition.
    """
    rules = alerts(client)
    stored = rules.stored(name)
    missing = [how for member, how in _NEEDED.items() if member not in members]
    if stored is None and missing:
        raise InvalidRequest(f"there is no alert rule {name!r} yet, and a new one needs {' and '.join(missing)}")
    return rules.save(name, stored and stored["alert"], members)


def mute_alert(client: httpx2.Client, name: str, until: str | None) -> None:
    """Mutes the rule of that name until an RFC 3339 time, or ends its mute.

    Raises NotFound, and what `SavedItems` raises.
    """
    alerts(client).post(name, "/mute", {"until": until})


def send_test(client: httpx2.Client, name: str) -> list[str]:
    """Sends a test notice to each channel of the rule of that name. Returns the ids of the notices.

    Raises NotFound, and what `SavedItems` raises.
    """
    notices: list[str] = alerts(client).post(name, "/test")["notices"]
    return notices


def read_history(client: httpx2.Client, name: str) -> dict[str, Any]:
    """Returns the newest changes of state (`events`) and notices (`notices`) of the rule of that name, newest first.

    Raises NotFound, and what `SavedItems` raises.
    """
    return alerts(client).read(name, "/history")
