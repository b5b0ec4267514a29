"""Tests of redactions for a tenant's admin key, and of erasures for operators, over a real SQLite file."""

from pathlib import Path

from backend.admin.tests.test_endpoints import Admin, run

REDACTIONS = "/tenants/acme/body-redactions"


def test_a_tenants_key_manages_the_tenants_redactions(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        assert await admin.status("acme", "PUT", f"{REDACTIONS}/mine", {"expression": "key-[0-9]+"}) == 204
        assert await admin.status("acme", "PUT", f"{REDACTIONS}/card", {}) == 204
        assert await admin.status("operator", "PUT", f"{REDACTIONS}/mine", {"expression": "k-[0-9]+"}) == 204
        assert await admin.status("acme", "PUT", f"{REDACTIONS}/mine", {"expression": "k-[0-9]+"}) == 204
        listed = (await admin.send("acme", "GET", REDACTIONS)).json()["redactions"]
        assert [(each["tenant"], each["name"], each["expression"]) for each in listed] == [
            ("acme", "card", None),
            ("acme", "mine", "k-[0-9]+"),
        ]
        await admin.directory.refresh()
        assert len(admin.directory.grant(admin.keys["acme"]).tenant.attribute_rules.redactions) == 2
        assert not admin.directory.grant(admin.keys["other"]).tenant.attribute_rules.redactions

        assert await admin.status("acme", "DELETE", f"{REDACTIONS}/mine") == 204
        assert await admin.status("acme", "DELETE", f"{REDACTIONS}/mine") == 404
        entries = (await admin.send("acme", "GET", "/audit")).json()["entries"]
        noted = [(each["action"], each["before"], each["after"]) for each in entries if "policy" in each["action"]]
        first, second = ({"name": "mine", "expression": each} for each in ("key-[0-9]+", "k-[0-9]+"))
        assert noted == [
            ("policy.keep", second, {}),
            ("policy.redact", first, second),
            ("policy.redact", {}, {"name": "card", "expression": None}),
            ("policy.redact", {}, first),
        ]

    run(control_home, use)


def test_redactions_that_cannot_be_and_those_of_others_are_refused(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        for name, body in (
            ("mine", {}),
            ("mine", {"expression": "("}),
            ("mine", {"expression": "a*"}),
            ("mine", {"expression": "x" * 513}),
            ("mine", {"regex": "x"}),
            ("card", {"expression": "x"}),
            ("No!", {"expression": "x"}),
        ):
            assert await admin.status("acme", "PUT", f"{REDACTIONS}/{name}", body) == 400, name
        for tenant in ("other", "nobody"):
            redactions = f"/tenants/{tenant}/body-redactions"
            assert await admin.status("acme", "GET", redactions) == 404
            assert await admin.status("acme", "PUT", f"{redactions}/mine", {"expression": "x"}) == 404
            assert await admin.status("acme", "DELETE", f"{redactions}/mine") == 404
        assert await admin.status("query", "GET", REDACTIONS) == 403

    run(control_home, use)


def test_operators_see_how_far_a_deleted_tenant_is_erased(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        assert await admin.status("operator", "DELETE", "/tenants/other") == 204
        [erasure] = (await admin.send("operator", "GET", "/erasures?tenant=other")).json()["erasures"]
        assert (erasure["tenant"], erasure["phase"], erasure["erased_at"]) == ("other", "waiting", None)
        [same] = (await admin.send("operator", "GET", f"/erasures?tenant=%23{erasure['tenant_id']}")).json()["erasures"]
        assert same == erasure
        assert await admin.status("operator", "GET", "/erasures?tenant=acme") == 404
        assert await admin.status("acme", "GET", "/erasures") == 403

    run(control_home, use)
