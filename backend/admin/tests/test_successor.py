"""Tests that the key of a deleted tenant, which processes still know, reads nothing of a new tenant of that name."""

from pathlib import Path

from backend.admin.tests.test_endpoints import Admin, run


def test_the_key_of_a_deleted_tenant_reads_nothing_of_its_successor(control_home: Path) -> None:
    async def use(admin: Admin) -> None:
        assert await admin.status("operator", "DELETE", "/tenants/acme") == 204
        gone = await admin.send("acme", "GET", "/tenants")
        assert await admin.status("operator", "POST", "/tenants", {"name": "acme", "retention_days": 3}) == 201
        made = await admin.send("operator", "POST", "/tenants/acme/keys", {"purpose": "query", "label": "theirs"})
        rule = {"name": "theirs", "action": "mask"}
        assert await admin.status("operator", "PUT", "/tenants/acme/attribute-rules", rule) == 200
        redaction = "/tenants/acme/body-redactions/theirs"
        assert await admin.status("operator", "PUT", redaction, {"expression": "theirs"}) == 204

        key = f"/tenants/acme/keys/{made.json()['id']}"
        answers = [
            gone,
            await admin.send("acme", "GET", "/tenants"),
            await admin.send("acme", "GET", "/tenants/acme"),
            await admin.send("acme", "GET", "/tenants/acme/keys"),
            await admin.send("acme", "PATCH", key, {"label": "mine"}),
            await admin.send("acme", "DELETE", key),
            await admin.send("acme", "GET", "/tenants/acme/attribute-rules"),
            await admin.send("acme", "GET", "/tenants/acme/body-redactions"),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "not_found")}
        assert await admin.status("acme", "PUT", redaction, {"expression": "mine"}) == 401
        entries = (await admin.send("acme", "GET", "/audit")).json()["entries"]
        assert [each["action"] for each in entries] == ["tenant.delete", "key.create", "tenant.create"]

    run(control_home, use)
