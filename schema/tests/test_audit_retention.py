"""Entries of the audit log go when they are older than the setting says, and not before."""

import asyncio
from pathlib import Path

from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.audit_retention import forget_audit
from schema.control.changes import Actor, changing
from schema.control.database import opened

DAY_SECONDS = 86_400


def test_entries_go_when_they_are_older_than_they_are_kept(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def run() -> None:
        clock = ManualClock(1_790_000_000_000_000_000)
        async with opened(settings.control_plane_url) as engine:

            async def forgotten(*, dry_run: bool = False) -> int:
                return await forget_audit(engine, clock.now_ns(), 400, dry_run=dry_run)

            for _ in range(2):
                async with changing(engine, clock, Actor("test")) as change:
                    await change.note("tenant.change", (1, "acme"))
                clock.advance(DAY_SECONDS)
            clock.advance(398 * DAY_SECONDS)
            assert await forgotten() == 0, "an entry of 400 days is kept"
            clock.advance(1)
            assert await forgotten(dry_run=True) == 1
            assert await forgotten() == 1
            assert await forgotten() == 0
            clock.advance(DAY_SECONDS)
            assert await forgotten() == 1

    asyncio.run(run())
