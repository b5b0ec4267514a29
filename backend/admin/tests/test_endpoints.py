"""Tests of the admin routes over a real SQLite file, with keys of an operator, of tenants, and without the right."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.types import Receive, Scope, Send

from backend import problems
from backend.admin.endpoints import router
from backend.admin.erasure_endpoints import router as erasures_router
from backend.admin.service import AdminService
from backend.answers.slots import AnswerSlots
from backend.answers.tests.resources import resources_with
from backend.audit.endpoints import router as audit_router
from backend.caller import OPERATOR
from backend.change_rate import ChangeRate
from backend.policies.endpoints import router as policies_router
from backend.policies.recommended import RECOMMENDED
from backend.policies.redaction_endpoints import router as redactions_router
from backend.state import State, state_of
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import open_database
from schema.control.directory import Directory
from schema.control.limits import UNLIMITED
from schema.control.models import Purpose
from tests.control_database import PostgreSQL

NOW = 1_790_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Admin:
    """Sends requests to the routes with the key of operator, acme, other, query or ingest."""

    http: httpx2.AsyncClient
    keys: dict[str, str]
    directory: Directory
    clock: ManualClock
    state: State

    async def send(self, who: str, method: str, path: str, body: object = None) -> httpx2.Response:
        headers = {"authorization": f"Bearer {self.keys[who]}"}
        return await self.http.request(method, f"/api/v1/admin{path}", headers=headers, json=body)

    async def status(self, who: str, method: str, path: str, body: object = None) -> int:
        return (await self.send(who, method, path, body)).status_code


@asynccontextmanager
async def served(home: Path, control_url: str | None = None) -> AsyncIterator[Admin]:
    """Serves the routes over a migrated control plane, without a URL over the one in `home`."""
    settings, clock = Settings(home=home, control_url=control_url), ManualClock(NOW)
    engine = open_database(settings.control_plane_url)
    tenants, created = TenantService(engine, clock), KeyService(engine, clock)
    keys = {}
    for who, name in (("operator", OPERATOR), ("acme", "acme"), ("other", "other")):
        await tenants.create_tenant(name, 7, 4096)
        keys[who] = (await created.create_key(name, Purpose.admin, "")).text
    for purpose in (Purpose.query, Purpose.ingest):
        keys[purpose.value] = (await created.create_key(OPERATOR, purpose, "")).text
    directory = Directory(settings.control_plane_url, 60, clock)
    await directory.start()
    app = FastAPI()
    problems.install(app)
    app.include_router(router)
    app.include_router(policies_router)
    app.include_router(redactions_router)
    app.include_router(erasures_router)
    app.include_router(audit_router)
    service = AdminService(engine, clock, UNLIMITED, settings.consumer_groups)
    slots = AnswerSlots("test", 1, clock)
    state = State(settings, directory, resources_with(2**20, clock), ChangeRate(clock), slots, slots)
    app.dependency_overrides[state_of] = lambda: state

    async def with_service(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {"admin": service}}, receive, send)

    try:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(with_service), base_url="http://api") as http:
            yield Admin(http, keys, directory, clock, state)
    finally:
        await directory.stop()
        await engine.dispose()


def run(home: Path, use: Callable[[Admin], Awaitable[None]], control_url: str | None = None) -> None:
    async def body() -> None:
        async with served(home, control_url) as admin:
            await use(admin)

    asyncio.run(body())


def test_an_operator_manages_tenants(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        made = await admin.send("operator", "POST", "/tenants", {"name": "new", "retention_days": 3})
        assert (made.status_code, made.json()["cohort"], made.json()["body_max_bytes"]) == (201, "r3", 4096)
        assert await admin.status("operator", "POST", "/tenants", {"name": "new"}) == 409
        for lane in (1, 2):
            requested = {"name": f"lane-{lane}", "lane": lane}
            assert (await admin.send("operator", "POST", "/tenants", requested)).json()["lane"] == lane
            assert await admin.status("operator", "DELETE", f"/tenants/lane-{lane}") == 204
        nowhere = await admin.send("operator", "POST", "/tenants", {"name": "nowhere", "lane": 4})
        assert (nowhere.status_code, nowhere.json()["detail"]) == (400, "there is no lane 4: choose one of 0, 1, 2, 3")

        change = {"retention_days": 5, "body_max_bytes": 100, "limits": {"bytes_per_day": 7, "bytes_per_second": 9}}
        answer = (await admin.send("operator", "PATCH", "/tenants/new", change)).json()
        assert (answer["retention_days"], answer["cohort"], answer["cohort_in_force"]) == (5, "r5", "r3")
        # It begins 10 s after the change. A receiver that read just before reads again 2 s later.
        assert answer.pop("effective_within_seconds") == 12
        assert answer == (await admin.send("operator", "GET", "/tenants/new")).json()
        admin.clock.advance(11)  # a new retention begins when every receiver knows it
        changed = (await admin.send("operator", "PATCH", "/tenants/new", {"limits": {"bytes_per_second": None}})).json()
        assert changed.pop("effective_within_seconds") == 2
        assert changed == (await admin.send("operator", "GET", "/tenants/new")).json()
        assert (changed["cohort_in_force"], changed["body_max_bytes"]) == ("r5", 100)
        assert {name: limit for name, limit in changed["limits"].items() if limit} == {"bytes_per_day": 7}

        listed = (await admin.send("operator", "GET", "/tenants")).json()["tenants"]
        assert [each["name"] for each in listed] == [OPERATOR, "acme", "new", "other"]
        assert await admin.status("operator", "DELETE", "/tenants/new") == 204
        assert await admin.status("operator", "GET", "/tenants/new") == 404
        refused = await admin.send("operator", "DELETE", f"/tenants/{OPERATOR}")
        assert refused.status_code == 403
        assert refused.json()["detail"].endswith(f"`logsieve tenant delete {OPERATOR}` deletes it")

    run(control_home, use)


def test_a_change_is_made_whole_or_not_at_all(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        before = (await admin.send("operator", "GET", "/tenants/acme")).json()
        for wrong in ({"limits": {"bytes_per_day": 0}}, {"body_max_bytes": 65_537}, {"limits": {"bytes_a_day": 1}}):
            assert await admin.status("operator", "PATCH", "/tenants/acme", {"retention_days": 1} | wrong) == 400
        assert (await admin.send("operator", "GET", "/tenants/acme")).json() == before

    run(control_home, use)


def test_a_tenants_key_manages_its_own_keys(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        admin.clock.advance(1)  # keys are listed oldest first; keys of the same instant would come by their random ids
        made = await admin.send("acme", "POST", "/tenants/acme/keys", {"purpose": "query", "label": "laptop"})
        assert made.status_code == 201
        await admin.directory.refresh()
        assert admin.directory.grant(made.json()["key"]).tenant.name == "acme"
        listed = await admin.send("acme", "GET", "/tenants/acme/keys")
        assert [key["label"] for key in listed.json()["keys"]] == ["", "laptop"]
        assert made.json()["key"] not in listed.text
        changed = {"label": "old laptop"}
        assert await admin.status("acme", "PATCH", f"/tenants/acme/keys/{made.json()['id']}", changed) == 200
        assert (await admin.send("acme", "GET", "/tenants/acme/keys")).json()["keys"][1]["label"] == "old laptop"
        assert await admin.status("acme", "DELETE", f"/tenants/acme/keys/{made.json()['id']}") == 204
        assert (await admin.send("acme", "GET", "/tenants/acme/keys")).json()["keys"][1]["revoked_at"]

    run(control_home, use)


def test_a_tenants_key_reaches_no_other_tenant_and_no_limit(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        theirs = (await admin.send("other", "GET", "/tenants/other/keys")).json()["keys"][0]["id"]
        for name in ("other", OPERATOR, "nobody"):
            answers = [
                await admin.send("acme", "GET", f"/tenants/{name}"),
                await admin.send("acme", "PATCH", f"/tenants/{name}", {"retention_days": 1}),
                await admin.send("acme", "DELETE", f"/tenants/{name}"),
                await admin.send("acme", "GET", f"/tenants/{name}/keys"),
                await admin.send("acme", "POST", f"/tenants/{name}/keys", {"purpose": "admin"}),
                await admin.send("acme", "PATCH", f"/tenants/{name}/keys/{theirs}", {"label": "mine"}),
                await admin.send("acme", "DELETE", f"/tenants/{name}/keys/{theirs}"),
            ]
            assert {answer.status_code for answer in answers} == {404}
            detail = f"there is no tenant '{name}'; `logsieve tenant list` shows all"
            assert {answer.json()["detail"] for answer in answers} == {detail}
        assert await admin.status("acme", "PATCH", f"/tenants/acme/keys/{theirs}", {"label": "mine"}) == 404
        assert await admin.status("acme", "DELETE", f"/tenants/acme/keys/{theirs}") == 404
        assert await admin.status("acme", "PATCH", "/tenants/acme", {"limits": {"bytes_per_day": None}}) == 403
        assert await admin.status("acme", "DELETE", "/tenants/acme") == 403
        assert await admin.status("acme", "POST", "/tenants", {"name": "mine"}) == 403
        assert [each["name"] for each in (await admin.send("acme", "GET", "/tenants")).json()["tenants"]] == ["acme"]
        (untouched,) = (await admin.send("other", "GET", "/tenants/other/keys")).json()["keys"]
        assert (untouched["revoked_at"], untouched["label"]) == (None, "")

    run(control_home, use)


def test_a_tenants_key_manages_the_tenants_attribute_rules(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        rules = "/tenants/acme/attribute-rules"
        rule = {"name": "User.Email", "action": "mask"}
        for body, change in ((rule, "added"), (rule, "unchanged"), (rule | {"action": "drop"}, "changed")):
            answer = await admin.send("acme", "PUT", rules, body)
            assert (answer.status_code, answer.json()) == (200, {"change": change})
        await admin.send("operator", "PUT", rules, {"name": "app.", "is_prefix": True, "action": "drop"})
        listed = (await admin.send("acme", "GET", rules)).json()["rules"]
        assert [(each["tenant"], each["name"], each["is_prefix"], each["action"]) for each in listed] == [
            ("acme", "app.", True, "drop"),
            ("acme", "user.email", False, "drop"),
        ]
        await admin.directory.refresh()
        assert len(admin.directory.grant(admin.keys["acme"]).tenant.attribute_rules.own) == 2
        assert not admin.directory.grant(admin.keys["other"]).tenant.attribute_rules.own

        assert await admin.status("acme", "DELETE", f"{rules}?name=app.&is_prefix=true") == 204
        assert await admin.status("acme", "DELETE", f"{rules}?name=app.&is_prefix=true") == 404
        assert (await admin.send("acme", "POST", f"{rules}/recommended")).json() == {"added": len(RECOMMENDED)}
        assert (await admin.send("acme", "POST", f"{rules}/recommended")).json() == {"added": 0}

    run(control_home, use)


def test_attribute_rules_that_cannot_be_and_those_of_others_are_refused(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        for body in ({"name": "a*", "action": "drop"}, {"name": "a", "action": "hide"}, {"action": "drop"}):
            assert await admin.status("acme", "PUT", "/tenants/acme/attribute-rules", body) == 400
        for name in ("other", "nobody"):
            rules = f"/tenants/{name}/attribute-rules"
            assert await admin.status("acme", "GET", rules) == 404
            assert await admin.status("acme", "PUT", rules, {"name": "a", "action": "drop"}) == 404
            assert await admin.status("acme", "POST", f"{rules}/recommended") == 404
            assert await admin.status("acme", "DELETE", f"{rules}?name=a") == 404
        assert await admin.status("query", "GET", "/tenants/acme/attribute-rules") == 403

    run(control_home, use)


@pytest.mark.parametrize("purpose", ["query", "ingest"])
def test_keys_of_other_purposes_are_refused_also_an_operators(control_home: Path, purpose: str) -> None:
    async def use(admin: Admin) -> None:
        assert await admin.status(purpose, "GET", "/tenants") == 403
        assert await admin.status(purpose, "POST", "/tenants", {"name": "mine"}) == 403
        assert await admin.status(purpose, "POST", f"/tenants/{OPERATOR}/keys", {"purpose": "admin"}) == 403

    run(control_home, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_an_unreachable_control_plane_is_reported(tmp_path: Path, control_url: str, postgresql: PostgreSQL) -> None:
    async def use(admin: Admin) -> None:
        await asyncio.to_thread(postgresql.drop_database, control_url)
        for method, path, body in (
            ("GET", "/tenants", None),
            ("POST", "/tenants", {"name": "new"}),
            ("PATCH", "/tenants/acme", {"retention_days": 1}),
            ("DELETE", "/tenants/acme", None),
            ("POST", "/tenants/acme/keys", {"purpose": "query"}),
        ):
            refused = await admin.send("operator", method, path, body)
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable"), (method, path)
            assert int(refused.headers["retry-after"]) > 0
            assert "control_" not in refused.text, "what the database is called is nobody's business"

    run(tmp_path, use, control_url)


@pytest.mark.parametrize(
    "failure",
    [
        OperationalError("UPDATE tenant", None, Exception("database is locked")),
        PoolTimeoutError("no connection came free"),
        ConnectionRefusedError("nobody listens"),
    ],
)
def test_a_control_plane_that_is_busy_or_refuses_is_unreachable(
    control_home: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    async def fail(_: TenantService) -> None:
        raise failure

    async def use(admin: Admin) -> None:
        monkeypatch.setattr(TenantService, "tenants", fail)
        assert await admin.status("operator", "GET", "/tenants") == 503

    run(control_home, use)
