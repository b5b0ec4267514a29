"""Tests that only rows that an erasure will remove count as about to be freed."""

import asyncio
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from ingest.storage import owner
from ingest.storage.measure import TenantBytesReader, Volume
from ingest.storage.owner import StorageOwner
from ingest.tests.deleted_tenant import add_deleted_tenant
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.erasures import Erasure, Phase, Progress, save_progress

TENANT: Final = 7
BYTES: Final = 300
TODAY: Final = 20_000
NOW_NS: Final = TODAY * 86_400 * 10**9


@pytest.mark.parametrize(
    ("phase", "erased_at_ns", "freed_later"),
    [(None, None, BYTES), (Phase.deleting, None, BYTES), (Phase.erased, NOW_NS, 0)],
    ids=["just deleted", "being erased", "arrived after the erasure"],
)
def test_rows_of_deleted_tenants_are_about_to_be_freed_until_their_erasure_has_ended(
    phase: Phase | None,
    erased_at_ns: int | None,
    freed_later: int,
    control_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, clock = Settings(home=control_home, clickhouse_url="http://a:1"), ManualClock(NOW_NS)
    monkeypatch.setattr(owner, "connect", lambda *_, **_names: nullcontext(SimpleNamespace()))
    monkeypatch.setattr(owner, "agreed_time", lambda *_: datetime.fromtimestamp(NOW_NS / 1e9, UTC))
    monkeypatch.setattr(TenantBytesReader, "read", lambda *_: {TENANT: {TODAY: BYTES}})

    async def run() -> int:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                await add_deleted_tenant(connection, TENANT)
                if phase is not None:
                    erasure = Erasure(TENANT, "acme", 2, settings.consumer_group, None, Progress(), None)
                    await save_progress(connection, erasure, Progress(phase=phase), None, erased_at_ns)
            report = await StorageOwner(settings, clock, lambda _: Volume(1_000, 500)).run_once(engine)
        return report.volumes[0].freed_later

    assert asyncio.run(run()) == freed_later
