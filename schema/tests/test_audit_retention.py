"""Entries of the audit log go when they are older than the setting says, and not before."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import event, insert

from kit.clock import ManualClock
from kit.settings import Settings
from schema.control import audit_retention
from schema.control.audit_retention import forget_audit
from schema.control.changes import Actor, changing
from schema.control.database import opened
from schema.control.models import AuditEntry

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


def test_many_old_entries_go_in_steps(tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests steps of which the last one is full, and steps of which it is not. Newer entries stay."""
    monkeypatch.setattr(audit_retention, "STEP_ENTRIES", 2)
    settings, statements = Settings(home=tmp_path, control_url=control_url), list[str]()
    old = {"action": "tenant.change", "actor": "test", "before": "{}", "after": "{}", "at_ns": 1}
    now_ns = 3 * DAY_SECONDS * 10**9
    new = old | {"at_ns": now_ns}

    async def run(entries: int) -> int:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                await connection.execute(insert(AuditEntry), [new, *[old] * entries, new])
            event.listen(engine.sync_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
            return await forget_audit(engine, now_ns, 2, dry_run=False)

    for entries, steps in ((4, 3), (3, 2)):
        assert asyncio.run(run(entries)) == entries
        assert len([each for each in statements if each.startswith("DELETE")]) == steps
        statements.clear()
    assert asyncio.run(run(0)) == 0
