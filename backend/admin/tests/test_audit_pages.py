"""Tests that pages of the audit log have all entries, and that the last one has no cursor."""

from pathlib import Path

from backend.admin.tests.test_endpoints import Admin, run


def test_the_last_page_has_no_cursor_even_if_it_is_full(tmp_path: Path) -> None:
    async def use(admin: Admin) -> None:
        for label in ("first", "second"):
            await admin.send("acme", "POST", "/tenants/acme/keys", {"purpose": "query", "label": label})
        everything = (await admin.send("acme", "GET", "/audit")).json()["entries"]
        page = (await admin.send("acme", "GET", f"/audit?limit={len(everything) - 1}")).json()
        last = (await admin.send("acme", "GET", f"/audit?limit=1&cursor={page['next_cursor']}")).json()
        assert page["entries"] + last["entries"] == everything
        assert last["next_cursor"] is None

    run(tmp_path, use)
