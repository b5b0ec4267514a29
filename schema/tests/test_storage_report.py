"""Tests that the report on disks is parsed once for each change, and that each lost day is audited once."""

import asyncio
from pathlib import Path

from sqlalchemy import insert, select

from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.models import AuditEntry, TenantRow
from schema.control.storage import (
    KeptTenant,
    StorageReport,
    TenantStorage,
    keep_from,
    read_kept_from,
    read_report,
    save_report,
)


def report_of(stored: int) -> StorageReport:
    tenants = {7: TenantStorage(bytes=stored, share=0, daily=0, first_day=None)}
    return StorageReport(examined_at_ns=1, target_percent=90, guaranteed=0, volumes=(), tenants=tenants)


def test_an_unchanged_report_is_not_parsed_again(control_home: Path) -> None:
    async def use(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
            assert await read_report(connection) is None
            for stored in (1, 2, 1):
                await save_report(connection, report_of(stored))
                first = await read_report(connection)
                assert first == report_of(stored)
                assert await read_report(connection) is first

    asyncio.run(use(Settings(home=control_home)))


def test_a_process_that_had_read_an_earlier_day_changes_and_audits_nothing(control_home: Path) -> None:
    read_earlier = KeptTenant("acme", 30, 0)

    async def run(settings: Settings) -> tuple[dict[int, int], int]:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                row = {"id": 7, "name": "acme", "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1}
                await connection.execute(insert(TenantRow).values(**row))
            for day in (20_000, 20_000, 19_999):
                async with changing(engine, SystemClock(), this_user()) as change:
                    await keep_from(change, 7, read_earlier, day)
            async with engine.connect() as connection:
                audited = await connection.scalars(select(AuditEntry).where(AuditEntry.action == "tenant.storage"))
                return await read_kept_from(engine), len(audited.all())

    assert asyncio.run(run(Settings(home=control_home))) == ({7: 20_000}, 1)
