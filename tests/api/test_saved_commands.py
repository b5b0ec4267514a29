"""Tests `logsieve view` and `logsieve dashboard` against a running stack."""

import json

from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant


def run(stack: Stack, keys: TenantKeys, *arguments: str, code: int = 0) -> str:
    """Runs a command with a tenant's query key. Returns what it printed."""
    done = stack.logsieve(*arguments, "--key", keys.query)
    assert done.returncode == code, done.stderr
    return done.stdout or done.stderr


def test_views_and_dashboards_are_saved_shown_changed_and_deleted(stack: Stack) -> None:
    keys = new_tenant(stack, "saved")
    numbers = "severity:>=error | stats count() by service"
    run(stack, keys, "view", "save", "Numbers", numbers, "--chart", "table", "--since", "6h")
    run(stack, keys, "view", "save", "Errors", "severity:>=error")
    assert run(stack, keys, "view", "save", "Numbers", "--folder", "shop") == "changed: view Numbers\n"
    view = json.loads(run(stack, keys, "view", "show", "Numbers", "--json"))
    assert (view["query"], view["chart_kind"], view["start"], view["folder"]) == (numbers, "table", "now-6h", "shop")

    save = ("dashboard", "save", "Shop", "--view", "Numbers", "--view")
    assert "there is no view 'Eror'" in run(stack, keys, *save, "Eror", code=1)
    assert run(stack, keys, *save, "Errors", "--since", "1h") == "saved: dashboard Shop\n"
    assert run(stack, keys, "dashboard", "save", "Shop", "--refresh", "60") == "changed: dashboard Shop\n"
    shop = json.loads(run(stack, keys, "dashboard", "show", "Shop", "--json"))
    assert (shop["start"], shop["refresh_seconds"]) == ("now-1h", 60)
    assert [panel["view"] for panel in shop["panels"]] == [view["id"], *(set(ids(shop)) - {view["id"]})]
    run(stack, keys, "view", "delete", "Errors")
    lines = run(stack, keys, "dashboard", "show", "Shop").splitlines()
    assert lines[1].split()[:3] == ["Numbers", "Numbers", "severity:>=error"]
    assert lines[2].split()[0] == "(deleted)"
    assert "Shop" in run(stack, keys, "dashboard", "list")
    run(stack, keys, "dashboard", "delete", "Shop")
    assert json.loads(run(stack, keys, "dashboard", "list", "--json")) == []


def ids(dashboard: dict[str, list[dict[str, str]]]) -> list[str]:
    """Returns the ids of the views of a dashboard's panels."""
    return [view["id"] for view in dashboard["views"]]
