"""Tests `logsieve view`, `logsieve dashboard` and `logsieve alert` against a running stack."""

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
    errors = json.loads(run(stack, keys, "view", "show", "Errors", "--json"))
    assert run(stack, keys, "view", "save", "Numbers", "--folder", "shop") == "changed: view Numbers\n"
    view = json.loads(run(stack, keys, "view", "show", "Numbers", "--json"))
    assert (view["query"], view["chart_kind"], view["start"], view["folder"]) == (numbers, "table", "now-6h", "shop")

    save = ("dashboard", "save", "Shop", "--view", "Numbers", "--view")
    assert "there is no view 'Eror'" in run(stack, keys, *save, "Eror", code=1)
    assert run(stack, keys, *save, "Errors", "--since", "1h") == "saved: dashboard Shop\n"
    assert run(stack, keys, "dashboard", "save", "Shop", "--refresh", "60") == "changed: dashboard Shop\n"
    shop = json.loads(run(stack, keys, "dashboard", "show", "Shop", "--json"))
    assert (shop["start"], shop["refresh_seconds"]) == ("now-1h", 60)
    assert [panel["view"] for panel in shop["panels"]] == [view["id"], errors["id"]]
    assert {each["id"]: each["name"] for each in shop["views"]} == {view["id"]: "Numbers", errors["id"]: "Errors"}
    run(stack, keys, "view", "delete", "Errors")
    lines = run(stack, keys, "dashboard", "show", "Shop").splitlines()
    assert lines[1].split()[:3] == ["Numbers", "Numbers", "severity:>=error"]
    assert lines[2].split()[0] == "(deleted)"
    assert "Shop" in run(stack, keys, "dashboard", "list")
    run(stack, keys, "dashboard", "delete", "Shop")
    assert json.loads(run(stack, keys, "dashboard", "list", "--json")) == []


def test_alert_rules_are_saved_shown_muted_changed_and_deleted(stack: Stack) -> None:
    keys = new_tenant(stack, "rules")
    save = ("alert", "save", "Errors", "severity:>=error | stats count() by service")
    assert "condition.column" in run(stack, keys, *save, "--when", "sum(x) > 5", code=1)
    hook = ("--webhook", "https://hooks.example.com/secret", "--header", "X-Token: s3cret", "--label", "team=shop")
    assert run(stack, keys, *save, "--when", "count() > 5", "--range", "10m", *hook) == "saved: alert rule Errors\n"
    run(stack, keys, "alert", "save", "Errors", "--every", "5m", "--for", "10m", "--severity", "critical")
    rule = json.loads(run(stack, keys, "alert", "show", "Errors", "--json"))["alert"]
    assert rule["condition"] == {"column": "count()", "comparison": ">", "threshold": 5.0}
    assert (rule["range_seconds"], rule["interval_seconds"], rule["for_seconds"]) == (600, 300, 600)
    assert (rule["severity"], rule["labels"]) == ("critical", {"team": "shop"})
    assert [each["destination"] for each in rule["channels"]] == ["https://hooks.example.com/…"]

    assert "muted until" in run(stack, keys, "alert", "mute", "Errors", "2h")
    [listed] = json.loads(run(stack, keys, "alert", "list", "--json"))
    assert (listed["name"], listed["muted_until"] is None) == ("Errors", False)
    run(stack, keys, "alert", "mute", "Errors", "0s")
    notice = run(stack, keys, "alert", "test", "Errors").split()[-1]
    [sent] = json.loads(run(stack, keys, "alert", "history", "Errors", "--json"))["notices"]
    assert (sent["id"], sent["kind"]) == (notice, "test")
    printed = run(stack, keys, "alert", "history", "Errors") + run(stack, keys, "alert", "show", "Errors")
    assert "critical" in printed
    assert "s3cret" not in printed
    run(stack, keys, "alert", "delete", "Errors")
    assert "there is no alert rule 'Errors'" in run(stack, keys, "alert", "show", "Errors", code=1)
