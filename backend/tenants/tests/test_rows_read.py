"""Tests that a read of one tenant fetches only its rows and those of the installation, not those of all tenants."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import event, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.policies.redactions import RedactionService
from backend.policies.service import PolicyService
from backend.tenants.changes import TenantChanges
from backend.tenants.service import TenantService
from backend.tenants.storage import StorageService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import AttributeRule, BodyRedaction, TenantCohort, TenantLimits, TenantRow

NOW = 1_790_000_000_000_000_000
MANY = 50
CLOCK = ManualClock(NOW)

Read = Callable[[AsyncEngine], Awaitable[object]]

READS: dict[str, Read] = {
    "tenant": lambda engine: TenantService(engine, CLOCK).tenant("t7"),
    "change": lambda engine: TenantService(engine, CLOCK).change_tenant("t7", TenantChanges(body_max_bytes=9)),
    "rules": lambda engine: PolicyService(engine, CLOCK).rules("t7"),
    "redactions": lambda engine: RedactionService(engine, CLOCK).redactions("t7"),
    "storage": lambda engine: StorageService(engine).storage("t7"),
    "own storage": lambda engine: StorageService(engine).storage_of(7),
}


async def _fill(engine: AsyncEngine) -> None:
    ids = range(1, MANY + 1)
    rule = {"is_prefix": False, "action": "mask", "created_at_ns": NOW}
    async with engine.begin() as connection:
        for table, values in (
            (TenantRow, {"lane": 0, "body_max_bytes": 1, "created_at_ns": NOW}),
            (TenantCohort, {"since_ns": NOW, "cohort": "r1", "retention_days": 1}),
            (TenantLimits, {"bytes_per_day": 5}),
            (AttributeRule, {"pattern": "a"} | rule),
            (BodyRedaction, {"name": "a", "expression": "a", "created_at_ns": NOW}),
        ):
            owner = "id" if table is TenantRow else "tenant_id"
            named = {"name": "t{}"} if table is TenantRow else {}
            rows = [{owner: i} | values | {name: text.format(i) for name, text in named.items()} for i in ids]
            await connection.execute(insert(table), rows)
        await connection.execute(insert(AttributeRule).values(tenant_id=None, pattern="b", **rule))


@pytest.mark.parametrize("name", READS)
def test_a_read_of_one_tenant_fetches_no_rows_of_the_others(control_home: Path, name: str) -> None:
    async def use(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine:
            await _fill(engine)
            statements = list[tuple[str, tuple[object, ...]]]()

            def note(
                _connection: object, _cursor: object, statement: str, values: tuple[object, ...], *_: object
            ) -> None:
                if statement.startswith("SELECT"):
                    statements.append((statement, values))

            event.listen(engine.sync_engine, "before_cursor_execute", note)
            await READS[name](engine)
            event.remove(engine.sync_engine, "before_cursor_execute", note)
            assert statements
            async with engine.connect() as connection:
                for statement, values in statements:
                    fetched = (await connection.exec_driver_sql(statement, values)).all()
                    assert len(fetched) <= 2, statement

    asyncio.run(use(Settings(home=control_home)))
