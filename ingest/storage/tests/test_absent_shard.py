"""Tests that a server that does not answer keeps no disk of another machine full, and costs no tenant further days."""

import asyncio
from collections.abc import Collection
from contextlib import nullcontext
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
    """Owner whose servers have the same logs on full disks. The servers of the `absent` places do not answer."""

    absent: Collection[Place] = ()

    def _measure_server(self, place: Place, erasing: frozenset[int]) -> tuple[Measured, int]:  # noqa: ARG002
        if place in self.absent:
            raise Unavailable(f"{place} does not answer")
        return Measured(self._settings.topology.url(place), place.shard, FULL, {TENANT: DAYS}), TODAY


@pytest.mark.parametrize(
    ("urls", "absent", "kept_from", "reported"),
    [
        ("http://a:1,http://b:1", Place(1, 0), {TENANT: TODAY - 3}, 0),
        # The full volume may be that of both servers.
        ("http://a:1,http://a:2", Place(1, 0), {}, 0),
        ("http://a:1|http://a:2", Place(0, 1), {}, 0),
        ("http://a:1|http://b:1", Place(0, 1), {TENANT: TODAY - 3}, 1),
        # Shard 1 could be planned by its second replica, but the report would lack the volume of the first one.
        ("http://a:1|http://b:1,http://b:2|http://c:1", Place(0, 1), {TENANT: TODAY - 3}, 0),
    ],
    ids=[
        "shard of another machine",
        "shard of this machine",
        "replica of this machine",
        "replica of another machine",
        "replica of a machine with another shard",
    ],
)
def test_a_full_disk_makes_room_while_a_server_of_another_machine_does_not_answer(
    urls: str, absent: Place, kept_from: dict[int, int], reported: int, control_home: Path
) -> None:
    """Tests that the report stays complete."""
    settings = Settings(home=control_home, clickhouse_url=urls, storage_guaranteed_bytes=0)

    async def run() -> tuple[dict[int, int], StorageReport | None]:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                row = {"id": TENANT, "name": "acme", "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1}
                await connection.execute(insert(TenantRow).values(row))
                cohort = {"tenant_id": TENANT, "since_ns": 1, "cohort": "r30", "retention_days": 30}
                await connection.execute(insert(TenantCohort).values(cohort))
            owner = Owner(settings, ManualClock(TODAY * 86_400 * 10**9))
            owner.absent = {absent}
            with nullcontext() if reported else pytest.raises(Unavailable, match=f"shard={absent.shard}"):
                await owner.run_once(engine)
            async with engine.connect() as connection:
                return await read_kept_from(engine), await read_report(connection)

    days, report = asyncio.run(run())
    assert (days, 0 if report is None else len(report.volumes)) == (kept_from, reported)
