"""Tests that pages of the audit log have all entries, of the tenant that the request names."""

from pathlib import Path

from backend.admin.tests.test_endpoints import Admin, run


def test_the_last_page_has_no_cursor_even_if_it_is_full(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        for label in ("first", "second"):
            await admin.send("acme", "POST", "/tenants/acme/keys", {"purpose": "query", "label": label})
        everything = (await admin.send("acme", "GET", "/audit")).json()["entries"]
        page = (await admin.send("acme", "GET", f"/audit?limit={len(everything) - 1}")).json()
        last = (await admin.send("acme", "GET", f"/audit?limit=1&cursor={page['next_cursor']}")).json()
        assert page["entries"] + last["entries"] == everything
        assert last["next_cursor"] is None

    run(control_home, use)


def test_a_tenants_key_may_name_only_its_own_tenant(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        own = (await admin.send("acme", "GET", "/audit")).json()
        assert {each["tenant"] for each in own["entries"]} == {"acme"}
        assert (await admin.send("acme", "GET", "/audit?tenant=acme")).json() == own
        for name in ("other", "nobody"):
            refused = await admin.send("acme", "GET", f"/audit?tenant={name}")
            assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
        others = (await admin.send("operator", "GET", "/audit?tenant=other")).json()["entries"]
        assert {each["tenant"] for each in others} == {"other"}

    run(control_home, use)
