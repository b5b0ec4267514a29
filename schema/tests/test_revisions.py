"""Tests that every change of data that the directory copies is counted, on both databases, for every statement."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import (
    ApiKey,
    AttributeRule,
    Base,
    ControlRevision,
    TenantCohort,
    TenantLimits,
    TenantRow,
)
from schema.control.revision_triggers import EVENTS, trigger_name
from tests.control_database import until_waiting

NOT_COPIED: Final = {
    "tenant_day_usage": "read by receivers on its own",
    "tenant_erasure": "read by retention only",
    "audit_entry": "read on request",
    "saved_view": "read by each request for views",
    "dashboard": "read by each request for dashboards",
    "alert_rule": "read by each request for alerts and by each evaluation",
    "alert_group": "read by each request for alerts and by each evaluation",
    "alert_event": "read by each request for the history of an alert rule",
    "alert_notice": "read by each request for the history of an alert rule, and by its senders",
}


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    return Settings(home=tmp_path, control_url=control_url)


def run(settings: Settings, use: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def body() -> None:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                for number in (1, 2):
                    tenant = {"id": number, "name": f"t{number}", "lane": 0, "body_max_bytes": 1, "created_at_ns": 0}
                    await connection.execute(insert(TenantRow).values(tenant))
            await use(engine)

    asyncio.run(body())


async def numbers(connection: AsyncConnection) -> tuple[int, int, int, int]:
    """Returns the number, the installation's number, and those of tenants 1 and 2."""
    counted = (await connection.execute(select(ControlRevision.number, ControlRevision.installation))).one()
    tenants = await connection.scalars(select(TenantRow.revision).order_by(TenantRow.id))
    return (*counted, *tenants)


def test_each_table_of_tenants_is_tracked(settings: Settings) -> None:
    tables = {
        table.name for table in Base.metadata.sorted_tables if table.name == "tenant" or "tenant_id" in table.columns
    } - NOT_COPIED.keys()
    wanted = {trigger_name(table, event) for table in tables for event in EVENTS}

    async def use(engine: AsyncEngine) -> None:
        names = {
            "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
            "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
        }
        async with engine.connect() as connection:
            found = {*await connection.scalars(text(names[engine.dialect.name]))}
        assert found == wanted, "a migration that adds or rebuilds a table makes its triggers (revision_triggers.py)"

    run(settings, use)


def test_each_kind_of_change_moves_the_number_into_its_tenant(settings: Settings) -> None:
    key = {"id": "k", "tenant_id": 1, "purpose": "query", "sha256": b"k", "label": "", "created_at_ns": 0}
    rule = {"id": 1, "tenant_id": 1, "pattern": "a", "is_prefix": False, "action": "drop", "created_at_ns": 0}
    changes = (
        update(TenantRow).where(TenantRow.id == 1).values(body_max_bytes=2),
        insert(TenantCohort).values(tenant_id=1, since_ns=0, cohort="r1", retention_days=1),
        insert(TenantLimits).values(tenant_id=1),
        update(TenantLimits).values(bytes_per_day=1),
        insert(ApiKey).values(key),
        update(ApiKey).values(revoked_at_ns=1),
        delete(ApiKey),
        insert(AttributeRule).values(rule),
        update(AttributeRule).values(action="mask"),
        delete(AttributeRule),
    )

    async def use(engine: AsyncEngine) -> None:
        for change in changes:
            async with engine.begin() as connection:
                number, installation, _, other = await numbers(connection)
                await connection.execute(change)
                assert await numbers(connection) == (number + 1, installation, number + 1, other), str(change)

    run(settings, use)


def test_what_concerns_all_tenants_moves_the_installations_number(settings: Settings) -> None:
    rule = {"id": 1, "pattern": "a", "is_prefix": False, "action": "drop", "created_at_ns": 0}

    async def use(engine: AsyncEngine) -> None:
        for change in (insert(AttributeRule).values(rule), delete(AttributeRule)):
            async with engine.begin() as connection:
                number, _, *tenants = await numbers(connection)
                await connection.execute(change)
                assert await numbers(connection) == (number + 1, number + 1, *tenants)

    run(settings, use)


def test_a_change_that_is_not_committed_yet_gets_no_smaller_number_than_one_that_is(settings: Settings) -> None:
    async def use(engine: AsyncEngine) -> None:
        first = update(TenantRow).where(TenantRow.id == 1).values(body_max_bytes=2)
        second = update(TenantRow).where(TenantRow.id == 2).values(body_max_bytes=2)

        async def change_second() -> None:
            async with engine.begin() as connection:
                await connection.execute(second)

        async with engine.begin() as connection:
            await connection.execute(first)
            waiting = asyncio.create_task(change_second())
            # What it waits for is the first one's commit.
            await until_waiting(waiting, engine)
            assert not waiting.done()
        await waiting
        async with engine.connect() as connection:
            number, _, *tenants = await numbers(connection)
            assert tenants == [number - 1, number]

    run(settings, use)
