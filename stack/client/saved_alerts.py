"""Reads and saves a tenant's alert rules over the REST API."""

from typing import Any, Final

import httpx2
from pydantic import BaseModel

from kit.errors import InvalidRequest, NotFound
from stack.client.query_api import parsed, requested

_SECONDS: Final = 30.0
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


class ListedAlert(BaseModel):
    """The members of a rule that `logsieve alert list` shows."""

    id: str
    name: str
    query: str
    state: str
    severity: str
    detail: str
    evaluated_at: str | None
    muted_until: str | None


class _Alerts(BaseModel):
    alerts: list[ListedAlert]


def list_alerts(client: httpx2.Client) -> list[ListedAlert]:
    """Returns all rules by name. Raises SearchRefused for a problem answer, Unavailable without one."""
    return parsed(_Alerts, requested(client, "GET", "alerts", _SECONDS).content).alerts


def read_alert(client: httpx2.Client, name: str) -> dict[str, Any]:
    """Returns the rule of that name (`alert`) and its groups that are pending or firing (`groups`).

    Raises NotFound, and what `list_alerts` raises.
    """
    return _json(client, "GET", name)


def save_alert(client: httpx2.Client, name: str, members: dict[str, Any]) -> bool:
    """Saves a rule, or changes the given members of the rule of that name. Returns true for a new rule.

    Raises what `list_alerts` raises; SearchRefused also for a rule that another client changed meanwhile; and
    InvalidRequest for a new rule without a query or a condition.
    """
    if all(each.name != name for each in list_alerts(client)):
        if missing := [how for member, how in _NEEDED.items() if member not in members]:
            raise InvalidRequest(f"there is no alert rule {name!r} yet, and a new one needs {' and '.join(missing)}")
        requested(client, "POST", "alerts", _SECONDS, {"name": name} | members)
        return True
    stored = read_alert(client, name)["alert"]
    kept = {member: stored[member] for member in _GIVEN}
    requested(client, "PUT", f"alerts/{stored['id']}", _SECONDS, kept | members)
    return False


def mute_alert(client: httpx2.Client, name: str, until: str | None) -> None:
    """Mutes the rule of that name until an RFC 3339 time, or ends its mute. Raises what `read_alert` raises."""
    _json(client, "POST", name, "/mute", {"until": until})


def send_test(client: httpx2.Client, name: str) -> list[str]:
    """Sends a test notice to each channel of the rule of that name. Returns the ids of the notices.

    Raises what `read_alert` raises.
    """
    notices: list[str] = _json(client, "POST", name, "/test")["notices"]
    return notices


def read_history(client: httpx2.Client, name: str) -> dict[str, Any]:
    """Returns the newest changes of state (`events`) and notices (`notices`) of the rule of that name, newest first.

    Raises what `read_alert` raises.
    """
    return _json(client, "GET", name, "/history")


def delete_alert(client: httpx2.Client, name: str) -> None:
    """Deletes the rule of that name. Raises what `read_alert` raises."""
    requested(client, "DELETE", f"alerts/{_id_of(client, name)}", _SECONDS)


def _json(client: httpx2.Client, method: str, name: str, route: str = "", body: object = None) -> dict[str, Any]:
    answer: dict[str, Any] = requested(client, method, f"alerts/{_id_of(client, name)}{route}", _SECONDS, body).json()
    return answer


def _id_of(client: httpx2.Client, name: str) -> str:
    for alert in list_alerts(client):
        if alert.name == name:
            return alert.id
    raise NotFound(f"there is no alert rule {name!r}; `logsieve alert list` shows all")
