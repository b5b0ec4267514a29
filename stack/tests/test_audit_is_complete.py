"""Every command and every route that changes the control plane leaves an entry in the audit log, without a secret."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from backend.app import create_app
from backend.audit.service import AuditRecord, AuditService
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.changes import Actor, changing
from schema.control.database import opened
from schema.control.models import Purpose
from stack.cli.commands import COMMANDS, application
from tests.control_database import write_migrated

CHANGING: Final = {
    "tenant create": ("new", "--retention-days", "3"),
    "tenant limits": ("acme", "--bytes-per-day", "5"),
    "tenant retention": ("acme", "9"),
    "tenant move": ("acme", "--cohort", "own"),
    "tenant body-size": ("acme", "100"),
    "tenant delete": ("gone", "--yes"),
    "key create": ("acme", "query", "--expires", "90d"),
    "key label": ("KEY", "laptop"),
    "key revoke": ("KEY",),
    "policy add": ("secret", "drop", "--tenant", "acme"),
    "policy remove": ("password",),
    "policy add-defaults": ("--tenant", "acme"),
    "policy redact": ("card", "--tenant", "acme"),
    "policy keep": ("email",),
}
"""Arguments of each command that changes the control plane."""

OTHERS: Final = {
    *("up", "down", "status", "doctor", "settings", "migrate", "receiver", "loader", "api", "alerts", "ui", "usage"),
    *(
        "index show",
        "index use",
        "tenant list",
        "tenant erasures",
        "tenant storage",
        "key list",
        "policy list",
        "policy redactions",
        "audit list",
        "retention run",
        "retention move-cold",
        "replica fill",
        "replica admit",
    ),
    *(
        "logs search",
        "logs explain",
        "logs tail",
        "logs export",
        "logs fields",
        "logs values",
        "logs stats",
        "logs patterns",
    ),
    *("dead list", "dead show", "dead replay"),
}
"""Commands that change nothing of tenants, keys, limits, retention and rules. `retention run` drops what is past it."""

OVER_THE_API: Final = {
    *("view list", "view show", "view save", "view delete"),
    *("dashboard list", "dashboard show", "dashboard save", "dashboard delete"),
    *(f"alert {each}" for each in ("list", "show", "save", "mute", "test", "history", "delete")),
}
"""Commands about saved views, dashboards and alert rules. They send requests, and the routes that change something
write the entries."""

ROUTES: Final[dict[tuple[str, str], object]] = {
    ("POST", "/tenants"): {"name": "rest"},
    ("PATCH", "/tenants/acme"): {"limits": {"bytes_per_day": 6}},
    ("DELETE", "/tenants/gone"): None,
    ("POST", "/tenants/acme/keys"): {"purpose": "query"},
    ("PATCH", "/tenants/acme/keys/KEY"): {"label": "laptop"},
    ("DELETE", "/tenants/acme/keys/KEY"): None,
    ("PUT", "/tenants/acme/attribute-rules"): {"name": "a", "action": "drop"},
    ("POST", "/tenants/acme/attribute-rules/recommended"): None,
    ("DELETE", "/tenants/acme/attribute-rules?name=token"): None,
    ("PUT", "/tenants/acme/body-redactions/mine"): {"expression": "secret-[0-9]+"},
    ("DELETE", "/tenants/acme/body-redactions/mine"): None,
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """The file of a control plane, the id of acme's key, and the text of an operator's."""

    file: Path
    key: str
    operator: str


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A control plane with tenants acme, gone and _operator, a key of acme, and a rule of both kinds."""
    home = tmp_path_factory.mktemp("prepared")
    file = home / "control.db"
    write_migrated(file)

    async def create_keys() -> tuple[str, str]:
        async with opened(Settings(home=home).control_plane_url) as engine:
            service = TenantService(engine, SystemClock())
            for name in ("acme", "gone", "_operator"):
                await service.create_tenant(name, 7, 4096)
            keys = KeyService(engine, SystemClock())
            key = await keys.create_key("acme", Purpose.query, "")
            return key.id, (await keys.create_key("_operator", Purpose.admin, "")).text

    made = Prepared(file, *asyncio.run(create_keys()))
    runner, environment = CliRunner(), {"LOGSIEVE_HOME": str(home)}
    for arguments in (
        ("add", "password", "mask"),
        ("add", "token", "mask", "--tenant", "acme"),
        ("redact", "email"),
    ):
        assert runner.invoke(application(), ["policy", *arguments], env=environment).exit_code == 0
    return made


@pytest.fixture
def settings(prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a copy of the prepared control plane."""
    shutil.copyfile(prepared.file, tmp_path / "control.db")
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", "http://127.0.0.1:9")
    return Settings()


def entries(settings: Settings) -> list[AuditRecord]:
    async def read() -> list[AuditRecord]:
        async with opened(settings.control_plane_url) as engine:
            return await AuditService(engine).of_all(None, since_ns=0, below=None, limit=1000)

    return asyncio.run(read())


def commands() -> Iterator[str]:
    for name, entry in COMMANDS.items():
        if isinstance(entry, str):
            yield name
        else:
            yield from (f"{name} {inner}" for inner in entry)


def test_every_command_is_known_to_change_or_not() -> None:
    assert set(commands()) == CHANGING.keys() | OTHERS | OVER_THE_API


@pytest.mark.parametrize("command", CHANGING)
def test_a_command_that_changes_leaves_an_entry_of_its_user(
    settings: Settings, prepared: Prepared, command: str
) -> None:
    before = len(entries(settings))
    arguments = [prepared.key if each == "KEY" else each for each in CHANGING[command]]
    done = CliRunner().invoke(application(), [*command.split(), *arguments])
    assert done.exit_code == 0, done.output
    newest, *older = entries(settings)
    assert len(older) == before
    assert "@" in newest.actor
    assert (newest.address, newest.actor_tenant_id) == (None, None)
    assert newest.before != newest.after


def test_a_route_that_changes_leaves_an_entry_of_its_key_and_address(settings: Settings, prepared: Prepared) -> None:
    key, operator = prepared.key, prepared.operator
    app = create_app(settings, SystemClock())
    changing_routes = {
        (method.upper(), path.removeprefix("/api/v1/admin"))
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if path.startswith("/api/v1/admin") and method != "get"
    }
    requested = {
        (
            method,
            path.partition("?")[0]
            .replace("acme", "{name}")
            .replace("gone", "{name}")
            .replace("KEY", "{key_id}")
            .replace("mine", "{redaction}"),
        )
        for method, path in ROUTES
    }
    assert requested == changing_routes
    secret = operator.rpartition("_")[2]
    with TestClient(app, headers={"authorization": f"Bearer {operator}"}) as client:
        for (method, path), body in ROUTES.items():
            before = entries(settings)
            answer = client.request(method, f"/api/v1/admin{path.replace('KEY', key)}", json=body)
            assert answer.is_success, answer.text
            newest, *older = entries(settings)
            assert older == before, (method, path)
            assert newest.actor == f"key {operator.split('_')[2]}"
            assert newest.address == "testclient"
        shown = client.get("/api/v1/admin/audit", params={"limit": 2}).json()
        assert [each["action"] for each in shown["entries"]] == ["policy.keep", "policy.redact"]
        following = client.get("/api/v1/admin/audit", params={"limit": 2, "cursor": shown["next_cursor"]}).json()
        assert following["entries"][0]["id"] < shown["entries"][1]["id"]
        assert secret not in json.dumps(client.get("/api/v1/admin/audit", params={"limit": 1000}).json())


def test_a_route_that_changes_a_view_or_a_dashboard_leaves_an_entry(settings: Settings) -> None:
    async def query_key() -> str:
        async with opened(settings.control_plane_url) as engine:
            return (await KeyService(engine, SystemClock()).create_key("acme", Purpose.query, "")).text

    key = asyncio.run(query_key())
    app = create_app(settings, SystemClock())
    with TestClient(app, headers={"authorization": f"Bearer {key}"}) as client:
        view = client.post("/api/v1/views", json={"name": "Errors", "query": "pomegranate"}).json()
        path = f"/api/v1/views/{view['id']}"
        assert client.put(path, json={"name": "Errors", "query": "pomegranate", "revision": 1}).is_success
        panels = [{"view": view["id"]}]
        dashboard = client.post("/api/v1/dashboards", json={"name": "Shop", "panels": panels}).json()
        dashboard_path = f"/api/v1/dashboards/{dashboard['id']}"
        assert client.put(dashboard_path, json={"name": "Shop", "revision": 1}).is_success
        assert client.delete(dashboard_path).is_success
        assert client.delete(path).is_success
    newest = entries(settings)[:6]
    changes = ["view.create", "view.change", *(f"dashboard.{each}" for each in ("create", "change", "delete"))]
    assert [each.action for each in reversed(newest)] == [*changes, "view.delete"]
    assert {(each.actor, each.address) for each in newest} == {(f"key {key.split('_')[2]}", "testclient")}
    assert "pomegranate" not in repr(newest)
    changing_routes = {
        (method, path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if ("/views" in path or "/dashboards" in path) and method != "get"
    }
    assert len(changing_routes) == len(newest), "a new route is requested above"


def test_a_tenant_sees_its_own_entries_and_no_operators_names(settings: Settings) -> None:
    async def admin_key() -> str:
        async with opened(settings.control_plane_url) as engine:
            return (await KeyService(engine, SystemClock()).create_key("acme", Purpose.admin, "")).text

    headers = {"authorization": f"Bearer {asyncio.run(admin_key())}"}
    with TestClient(create_app(settings, SystemClock()), headers=headers) as client:
        assert client.post("/api/v1/admin/tenants/acme/keys", json={"purpose": "query"}).is_success
        own, *others = client.get("/api/v1/admin/audit").json()["entries"]
    assert {each["tenant"] for each in [own, *others]} == {"acme"}
    assert own["actor"].startswith("key ")
    assert {(each["actor"], each["address"]) for each in others} == {("operator", None)}


def test_a_change_that_is_not_noted_is_not_made(settings: Settings) -> None:
    async def change() -> None:
        async with (
            opened(settings.control_plane_url) as engine,
            changing(engine, SystemClock(), Actor("test")) as unnoted,
        ):
            await unnoted.connection.exec_driver_sql("UPDATE tenant SET body_max_bytes = 1")

    with pytest.raises(Exception, match="could not be written to the audit log"):
        asyncio.run(change())
