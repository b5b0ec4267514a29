"""Tests that a shard that does not answer keeps no disk of another shard full."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert

from ingest.storage.decide import Measured
from ingest.storage.measure import Volume
from ingest.storage.owner import StorageOwner
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings
from kit.topology import Place
from schema.control.database import opened
from schema.control.models import TenantCohort, TenantRow
from schema.control.storage import StorageReport, read_kept_from, read_report

TODAY: Final = 20_000
TENANT: Final = 1
DAYS: Final = {TODAY - age: 100 for age in range(5)}
FULL: Final = Volume(1_000, 50)


class Owner(StorageOwner):
    """Owner that finds a full disk on shard 0, and no server of shard 1."""

    def _measure_server(self, place: Place, erasing: frozenset[int]) -> tuple[Measured, int]:  # noqa: ARG002
        if place.shard == 1:
            raise Unavailable("shard 1 does not answer")
        return Measured(self._settings.topology.url(place), place.shard, FULL, {TENANT: DAYS}), TODAY


@pytest.mark.parametrize(
    ("urls", "kept_from"),
    [
        ("http://a:1,http://b:1", {TENANT: TODAY - 3}),
        # The full volume may be that of both servers.
        ("http://a:1,http://a:2", {}),
    ],
    ids=["two machines", "one machine"],
)
def test_a_full_disk_of_another_shard_makes_room_and_the_report_stays_complete(
    urls: str, kept_from: dict[int, int], control_home: Path
) -> None:
    settings = Settings(home=control_home, clickhouse_url=urls, storage_guaranteed_bytes=0)

    async def run() -> tuple[dict[int, int], StorageReport | None]:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                row = {"id": TENANT, "name": "acme", "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1}
                await connection.execute(insert(TenantRow).values(row))
                cohort = {"tenant_id": TENANT, "since_ns": 1, "cohort": "r30", "retention_days": 30}
                await connection.execute(insert(TenantCohort).values(cohort))
            with pytest.raises(Unavailable, match="shard 1"):
                await Owner(settings, ManualClock(TODAY * 86_400 * 10**9)).run_once(engine)
            async with engine.connect() as connection:
                return await read_kept_from(engine), await read_report(connection)

    assert asyncio.run(run()) == (kept_from, None)
