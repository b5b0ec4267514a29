"""Tests that a loader whose run fails lets another loader do the work, which may reach the servers that it needs."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import insert

from ingest.erasure.owner import lease_name
from ingest.erasure.periodic import Erasing
from ingest.lanes.periodic import Lanes
from ingest.storage.owner import LEASE_NAME as STORAGE
from ingest.storage.periodic import Storage
from kit.clock import Clock, ManualClock
from kit.errors import Unavailable
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.erasures import Erasure, Phase, Progress, save_progress
from schema.control.lease import LANES, take_lease
from schema.control.models import TenantRow

NOWHERE = "http://127.0.0.1:1"
NOW_NS = 1_800_000_000 * 10**9
TENANT = 7


async def delete_tenant(settings: Settings) -> None:
    """Adds a deleted tenant whose rows are to be deleted from ClickHouse."""
    async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
        row = {"id": TENANT, "name": "acme", "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1, "deleted_at_ns": 2}
        await connection.execute(insert(TenantRow).values(**row))
        progress = Progress(phase=Phase.deleting)
        erasure = Erasure(TENANT, "acme", 2, settings.consumer_group, None, progress, None)
        await save_progress(connection, erasure, progress, None)


async def may_take(settings: Settings, name: str) -> bool:
    """Returns whether another loader gets the lease at NOW_NS."""
    async with opened(settings.control_plane_url) as engine:
        return await take_lease(engine, name, "another loader", NOW_NS)


@pytest.mark.parametrize(
    ("loop", "lease"), [(Erasing, lease_name("logsieve-loader")), (Storage, STORAGE), (Lanes, LANES)]
)
def test_a_loader_that_does_not_reach_clickhouse_releases_the_lease_after_each_run(
    loop: Callable[[Settings, Clock], Repeating], lease: str, control_home: Path
) -> None:
    settings = Settings(home=control_home, clickhouse_url=NOWHERE)
    asyncio.run(delete_tenant(settings))
    failing = loop(settings, ManualClock(NOW_NS))
    for _ in range(2):
        with pytest.raises(Unavailable):
            failing.run_once()
    assert asyncio.run(may_take(settings, lease))
