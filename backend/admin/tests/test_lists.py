"""Tests that lists for admin keys are made one at a time for each tenant, and count until the client has read them."""

import asyncio
from pathlib import Path

import pytest

from backend.admin.tests.test_endpoints import Admin, run

LISTS = (
    ("acme", "/tenants"),
    ("acme", "/tenants/acme/keys"),
    ("acme", "/tenants/acme/attribute-rules"),
    ("acme", "/tenants/acme/body-redactions"),
    ("acme", "/audit"),
    ("operator", "/tenants"),
    ("operator", "/audit"),
    ("operator", "/erasures"),
)


def tenant_id(admin: Admin, who: str) -> int:
    return admin.directory.grant(admin.keys[who]).tenant.id


@pytest.mark.parametrize(("who", "path"), LISTS)
def test_a_second_list_of_a_tenant_waits_for_the_first(control_home: Path, who: str, path: str) -> None:
    async def use(admin: Admin) -> None:
        async with admin.state.lists.of(tenant_id(admin, who)):
            second = asyncio.create_task(admin.send(who, "GET", path))
            line = admin.state.lists._queue._lines[tenant_id(admin, who)]
            while not line.waiting and not second.done():
                await asyncio.sleep(0)
            assert not second.done()
        assert (await second).status_code == 200

    run(control_home, use)


@pytest.mark.parametrize(("who", "path"), LISTS)
def test_an_unread_list_counts_in_the_budget_of_answers(
    control_home: Path, monkeypatch: pytest.MonkeyPatch, who: str, path: str
) -> None:
    monkeypatch.setattr("backend.answers.response.AT_ONCE_BYTES", 0)

    async def use(admin: Admin) -> None:
        read = await admin.send(who, "GET", path)
        assert (read.status_code, read.headers["content-length"]) == (200, str(len(read.content)))
        with admin.state.resources.answers.share(tenant_id(admin, who)) as unread:
            unread.grow(2**19)  # half of the budget, which a tenant may hold
            refused = await admin.send(who, "GET", path)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")

    run(control_home, use)
