"""Tests that the report on disks is parsed once, and again after it has changed."""

import asyncio
from pathlib import Path

from kit.settings import Settings
from schema.control.database import opened
from schema.control.storage import StorageReport, TenantStorage, read_report, save_report


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
