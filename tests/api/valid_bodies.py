"""Valid bodies of operations, for tests that request all operations of the API."""

from typing import Any, Final

from tests.api_client import Api, Json

STATS: Final = "error | stats count() by service"

RULE_BODIES: Final[dict[str, Json]] = {
    "POST /alerts/{id}/mute": {"until": None},
}
ADMIN_BODIES: Final[dict[str, Json]] = {
    "POST /admin/tenants": {"name": "ours-too"},
    "PATCH /admin/tenants/{name}": {"retention_days": 1},
    "PATCH /admin/tenants/{name}/keys/{key_id}": {"label": "theirs"},
    "POST /admin/tenants/{name}/keys": {"purpose": "admin"},
    "PUT /admin/tenants/{name}/attribute-rules": {"name": "secret", "action": "drop"},
    "PUT /admin/tenants/{name}/body-redactions/{redaction}": {"expression": "secret"},
}
ADMIN_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "DELETE /admin/tenants/{name}/attribute-rules": {"name": "secret"},
}


def kind_of(place: str) -> str:
    """Returns the start of a path, such as `/views`, which says whose id the path contains."""
    return f"/{place.split('/')[1]}"


def new_items(name: str, view: str) -> dict[str, Json]:
    """Returns the bodies that save a view, a dashboard and an alert rule with this name, by the paths of their lists.

    The dashboard shows the view with the id `view`.
    """
    return {
        "/views": {"name": name, "query": STATS},
        "/dashboards": {"name": name, "panels": [{"view": view}]},
        "/alerts": {
            "name": name,
            "query": STATS,
            "condition": {"column": "count()", "comparison": ">", "threshold": 5},
            "channels": [{"kind": "webhook", "url": "http://127.0.0.1:9/"}],
        },
    }


def save_items(api: Api, name: str) -> dict[str, str]:
    """Saves one item of each kind with this name, and returns their ids by the paths of their lists."""
    saved: dict[str, str] = {}
    for path in new_items(name, ""):
        made = api.post(path, new_items(name, saved.get("/views", ""))[path])
        assert made.status_code == 201, made.text
        saved[path] = made.json()["id"]
    return saved
