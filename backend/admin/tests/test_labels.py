"""Tests that the label of a key can be changed, by whom, and that nothing else of the key changes."""

from pathlib import Path

from backend.admin.tests.test_endpoints import Admin, run

KEYS = "/tenants/acme/keys"


def test_the_label_of_a_key_is_changed_and_nothing_else(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        requested = {"purpose": "query", "label": "laptop"}
        made = (await admin.send("acme", "POST", KEYS, requested)).json()
        path = f"/tenants/acme/keys/{made['id']}"
        before = await listed(admin, made["id"])
        changed = await admin.send("acme", "PATCH", path, {"label": "checkout"})
        assert (changed.status_code, changed.json()) == (200, before | {"label": "checkout"})
        assert await listed(admin, made["id"]) == before | {"label": "checkout"}
        await admin.directory.refresh()
        assert admin.directory.grant(made["key"]).tenant.name == "acme"
        entry = (await admin.send("acme", "GET", "/audit")).json()["entries"][0]
        assert (entry["action"], entry["before"], entry["after"]) == (
            "key.label",
            {"key": made["id"], "label": "laptop"},
            {"key": made["id"], "label": "checkout"},
        )
        assert await admin.status("acme", "DELETE", path) == 204
        assert (await admin.send("operator", "PATCH", path, {"label": ""})).json()["label"] == ""

    run(control_home, use)


def test_a_label_that_cannot_be_kept_and_a_key_of_another_tenant_are_refused(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        requested = {"purpose": "query", "label": "laptop"}
        made = (await admin.send("acme", "POST", KEYS, requested)).json()
        path = f"/tenants/acme/keys/{made['id']}"
        long = "x" * 101
        for method, of, label in (
            ("PATCH", path, {"label": long}),
            ("POST", KEYS, {"purpose": "query", "label": long}),
        ):
            refused = await admin.send("acme", method, of, label)
            assert (refused.status_code, refused.json()["detail"]) == (
                400,
                "the label has 101 characters: give at most 100",
            )
        for wrong in ({"label": "a\0b"}, {"label": None}, {}, {"label": "a", "purpose": "admin"}):
            assert await admin.status("acme", "PATCH", path, wrong) == 400, wrong
        assert await admin.status("other", "PATCH", path, {"label": "mine"}) == 404
        assert await admin.status("other", "PATCH", path.replace("acme", "other"), {"label": "mine"}) == 404
        assert await admin.status("query", "PATCH", path, {"label": "mine"}) == 403
        assert (await listed(admin, made["id"]))["label"] == "laptop"

    run(control_home, use)


async def listed(admin: Admin, key_id: str) -> dict[str, object]:
    """Returns the key as the list shows it."""
    keys = (await admin.send("acme", "GET", "/tenants/acme/keys")).json()["keys"]
    return next(dict(key) for key in keys if key["id"] == key_id)
