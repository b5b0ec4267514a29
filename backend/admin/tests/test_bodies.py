"""Tests the texts, numbers and times in the JSON bodies of admin routes."""

import json
from pathlib import Path

import pytest

from backend.admin.tests.test_endpoints import NOW, Admin, run
from backend.times import format_time

HALF = "a\ud800"
"""Text with half of a surrogate pair, which JSON can escape and UTF-8 cannot represent."""


@pytest.mark.parametrize(
    ("method", "path", "body", "member"),
    [
        ("POST", "/tenants", {"name": "new"}, "name"),
        ("POST", "/tenants", {"name": "new"}, "lane"),
        ("PATCH", "/tenants/acme", {}, "retention_days"),
        ("PATCH", "/tenants/acme", {}, "limits"),
        ("POST", "/tenants/acme/keys", {"purpose": "query"}, "purpose"),
        ("POST", "/tenants/acme/keys", {"purpose": "query"}, "label"),
        ("POST", "/tenants/acme/keys", {"purpose": "query"}, "expires_at"),
        ("PATCH", "/tenants/acme/keys/{key}", {"label": ""}, "label"),
        ("PUT", "/tenants/acme/attribute-rules", {"name": "a", "action": "drop"}, "name"),
        ("PUT", "/tenants/acme/attribute-rules", {"name": "a", "action": "drop"}, "action"),
        ("PUT", "/tenants/acme/body-redactions/mine", {"expression": "a"}, "expression"),
    ],
)
def test_half_a_surrogate_pair_is_refused(
    control_home: Path, method: str, path: str, body: dict[str, str], member: str
) -> None:
    async def use(admin: Admin) -> None:
        key = (await admin.send("acme", "GET", "/tenants/acme/keys")).json()["keys"][0]["id"]
        # Python's text of JSON writes half of a pair as an escape, as a hostile client would.
        text = json.dumps(body | {member: HALF})
        headers = {"authorization": f"Bearer {admin.keys['operator']}", "content-type": "application/json"}
        url = f"/api/v1/admin{path.format(key=key)}"
        refused = await admin.http.request(method, url, headers=headers, content=text)
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (400, "invalid_request")
        assert problem["detail"].startswith(f"`{member}` is 'a\\ud800': ")

    run(control_home, use)


@pytest.mark.parametrize(
    ("method", "path", "body", "member"),
    [
        ("POST", "/tenants", {"name": "new"}, "retention_days"),
        ("POST", "/tenants", {"name": "new"}, "body_max_bytes"),
        ("POST", "/tenants", {"name": "new"}, "lane"),
        ("PATCH", "/tenants/acme", {}, "retention_days"),
        ("PATCH", "/tenants/acme", {}, "limits.bytes_per_second"),
    ],
)
def test_a_boolean_is_no_number(
    control_home: Path, method: str, path: str, body: dict[str, object], member: str
) -> None:
    async def use(admin: Admin) -> None:
        before = (await admin.send("operator", "GET", "/tenants")).json()
        name, _, limit = member.partition(".")
        for value in (True, False):
            refused = await admin.send("operator", method, path, body | {name: {limit: value} if limit else value})
            problem = refused.json()
            assert (refused.status_code, problem["code"]) == (400, "invalid_request")
            assert problem["detail"] == f"`{member}` is {value}: value error, it should be a number, not true or false"
        assert (await admin.send("operator", "GET", "/tenants")).json() == before

    run(control_home, use)


@pytest.mark.parametrize("expires_at", [NOW + 1, str(NOW + 1), format_time(NOW + 1)])
def test_the_expiry_of_a_key_is_rfc_3339_or_nanoseconds(control_home: Path, expires_at: str | int) -> None:
    async def use(admin: Admin) -> None:
        requested = {"purpose": "query", "label": "short", "expires_at": expires_at}
        made = await admin.send("acme", "POST", "/tenants/acme/keys", requested)
        assert made.status_code == 201
        keys = (await admin.send("acme", "GET", "/tenants/acme/keys")).json()["keys"]
        shown = {key["id"]: key["expires_at"] for key in keys}
        assert shown[made.json()["id"]] == format_time(NOW + 1)

    run(control_home, use)


@pytest.mark.parametrize("expires_at", ["soon", NOW // 10**9, True, 1.5, [NOW]], ids=str)
def test_an_expiry_that_is_no_time_is_refused(control_home: Path, expires_at: object) -> None:
    async def use(admin: Admin) -> None:
        requested = {"purpose": "query", "expires_at": expires_at}
        refused = await admin.send("acme", "POST", "/tenants/acme/keys", requested)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert "expires_at" in refused.json()["detail"]

    run(control_home, use)
