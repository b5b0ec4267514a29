"""Tests that searches read all stored logs after a control plane was restored that lacks moves of tenants."""

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

import pytest
from sqlalchemy import select

from backend.audit.service import AuditService
from backend.store.scope import longest_delay_ns
from backend.tenants.service import TenantService
from ingest.retention.partitions import TablePartition, past_retention
from kit.clock import DAY_NS, ManualClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.lifecycles import read_lifecycles
from schema.control.models import Lane
from schema.control.restored_places import UNTOUCHED_DAYS, RestoredPlace, StoredPlace, restore_places
from schema.control.snapshot import read_snapshot
from schema.control.tenant import Tenant
from schema.control.tenant_lanes import ANNOUNCE_NS
from tests.chance import SEED, repetitions

NOW: Final = 1_800_000_000 * 10**9
ACME, GONE, UNKNOWN = 1, 2, 9
"""Ids of a tenant, of a deleted one, and of one that the backup does not have."""
DELAY_NS: Final = longest_delay_ns(Settings().future_tolerance_seconds)


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def create() -> None:
        async with opened(settings.control_plane_url) as engine:
            tenants = TenantService(engine, ManualClock(NOW))
            assert (await tenants.create_tenant("acme", 30, 4096, lane=1)).id == ACME
            assert (await tenants.create_tenant("gone", 30, 4096, lane=0)).id == GONE
            await tenants.delete_tenant("gone")

    asyncio.run(create())
    return settings


def restored(settings: Settings, clock: ManualClock, stored: Collection[StoredPlace]) -> list[RestoredPlace]:
    async def restore() -> list[RestoredPlace]:
        async with opened(settings.control_plane_url) as engine, changing(engine, clock, this_user()) as change:
            return await restore_places(change, stored, DELAY_NS)

    return asyncio.run(restore())


def place(
    tenant_id: int, lane: int, cohort: str, oldest_days: float = 0, newest_days: float | None = None
) -> StoredPlace:
    """Returns a place whose oldest and newest records are that many days older than NOW. With one number, both are."""
    newest = oldest_days if newest_days is None else newest_days
    oldest_ns, newest_ns = (NOW - round(days * DAY_NS) for days in (oldest_days, newest))
    return StoredPlace(tenant_id, lane, cohort, oldest_ns, newest_ns)


def read_retention(settings: Settings) -> dict[str, int]:
    async def read() -> dict[str, int]:
        async with opened(settings.control_plane_url) as engine:
            return (await read_lifecycles(engine)).retention_days

    return asyncio.run(read())


def read_tenant(settings: Settings, clock: ManualClock) -> Tenant:
    async def read() -> Tenant:
        async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
            return (await read_snapshot(connection, clock.now_ns())).tenants[ACME]

    return asyncio.run(read())


@pytest.mark.parametrize("seconds", [0, 60])
def test_searches_read_the_lanes_and_cohorts_of_stored_logs(settings: Settings, seconds: int) -> None:
    clock = ManualClock(NOW)
    clock.advance(3600)
    stored = {
        place(ACME, 1, "r30"),
        place(ACME, 1, "t1"),
        place(ACME, 5, "r7"),
        place(GONE, 4, "r7"),
        place(UNKNOWN, 4, "r7"),
    }
    found = restored(settings, clock, stored)
    assert found == [RestoredPlace("acme", 1, "t1", 30, chosen=True), RestoredPlace("acme", 5, "r7", 7)]
    written_until_ns = clock.now_ns()
    clock.advance(seconds)

    tenant = read_tenant(settings, clock)
    assert (tenant.lane, tenant.cohort, tenant.retention_days) == (1, "r30", 30)
    assert set(tenant.cohorts) == {"r30", "t1", "r7"}
    assert tenant.lanes.of_records_since(written_until_ns, 0) == (1, 5)
    assert restored(settings, clock, stored) == [], "a second run must find nothing more"


def test_restored_cohorts_are_kept_and_restored_lanes_are_known(settings: Settings) -> None:
    clock = ManualClock(NOW)
    restored(settings, clock, {place(ACME, 5, "r90"), place(ACME, 5, "t1", 60)})

    assert read_retention(settings) == {"r30": 30, "r90": 90, "t1": 90}

    async def read() -> None:
        async with opened(settings.control_plane_url) as engine:
            async with engine.connect() as connection:
                assert sorted(await connection.scalars(select(Lane.number))) == [0, 1, 2, 3, 5]
            entries = await AuditService(engine).of_all(None, since_ns=0, below=None, limit=10)
            assert [each.action for each in entries][:3] == ["tenant.restore", "tenant.restore", "lane.create"]

    asyncio.run(read())


def test_a_control_plane_that_lacks_nothing_is_not_changed(settings: Settings) -> None:
    before = read_tenant(settings, ManualClock(NOW))
    assert restored(settings, ManualClock(NOW), {place(ACME, 1, "r30")}) == []
    assert read_tenant(settings, ManualClock(NOW)) == before


def moved(settings: Settings, clock: ManualClock, cohort: str | None = None, lane: int | None = None) -> None:
    async def move() -> None:
        async with opened(settings.control_plane_url) as engine:
            await TenantService(engine, clock).move("acme", cohort, lane)

    asyncio.run(move())


@pytest.mark.parametrize("number", range(repetitions(20)))
def test_retention_touches_no_log_of_a_cohort_of_lost_retention_for_a_while(settings: Settings, number: int) -> None:
    rng, clock = Random(f"{SEED} {number}"), ManualClock(NOW)
    ages = [rng.uniform(0, 3650) for _ in range(3)]
    stored = {place(ACME, lane, "t1", age, rng.uniform(0, age)) for lane, age in zip((1, 3, 5), ages, strict=True)}
    found = restored(settings, clock, stored)
    assert {(each.cohort, each.chosen) for each in found} == {("t1", True)}
    [days] = {each.retention_days for each in found}
    assert read_retention(settings) == {"r30": 30, "t1": days}

    oldest = datetime.fromtimestamp(min(each.oldest_ns for each in stored) / 1e9, UTC).date()
    now = datetime.fromtimestamp(NOW / 1e9, UTC)
    partition = TablePartition("logs_0", "", "t1", oldest, 1, 1)
    assert not past_retention([partition], {"t1": days}, now + timedelta(days=UNTOUCHED_DAYS))
    assert past_retention([partition], {"t1": days}, now + timedelta(days=UNTOUCHED_DAYS + 2))


def test_a_largest_retention_that_the_control_plane_has_is_not_shortened(settings: Settings) -> None:
    moved(settings, ManualClock(NOW), "r365")
    found = restored(settings, ManualClock(NOW), {place(ACME, 1, "t1", 20)})
    assert found == [RestoredPlace("acme", 1, "t1", 365, chosen=True)]


def test_a_cohort_that_the_control_plane_has_keeps_its_retention(settings: Settings) -> None:
    moved(settings, ManualClock(NOW), "own")
    moved(settings, ManualClock(NOW), "r365")
    assert restored(settings, ManualClock(NOW), {place(ACME, 5, "t1", 20)}) == [RestoredPlace("acme", 5, "t1", 30)]
    assert read_retention(settings)["t1"] == 30


@pytest.mark.parametrize("seconds", [0, 60])
def test_searches_read_a_former_lane_to_which_the_tenant_had_moved_back(settings: Settings, seconds: int) -> None:
    """On day 10, the tenant moved from lane 1 to lane 0, and the backup was made. On day 15, it moved back."""
    clock = ManualClock(NOW)
    clock.advance(10 * 86_400)
    moved(settings, clock, lane=0)
    clock.advance(10 * 86_400)
    restored_ns = clock.now_ns()
    stored = {place(ACME, 0, "r30", -10, -15), place(ACME, 1, "r30", 0, -20)}
    assert read_tenant(settings, clock).lanes.of_records_since(restored_ns, DELAY_NS) == (0,)
    assert restored(settings, clock, stored) == [RestoredPlace("acme", 1, "r30", 30)]

    clock.advance(seconds)
    tenant = read_tenant(settings, clock)
    assert tenant.lanes.of_records_since(restored_ns, DELAY_NS) == (0, 1)
    assert restored(settings, clock, stored) == [], "a second run must find nothing more"
    clock.advance(60)
    assert read_tenant(settings, clock).lane == 0


@pytest.mark.parametrize(("after_ns", "lacked"), [(-1, False), (0, True)])
def test_a_former_lane_without_later_records_is_not_restored(settings: Settings, after_ns: int, lacked: bool) -> None:
    clock = ManualClock(NOW)
    clock.advance(10 * 86_400)
    moved(settings, clock, lane=0)
    newest_ns = clock.now_ns() + ANNOUNCE_NS + DELAY_NS + after_ns
    clock.advance(10 * 86_400)
    assert bool(restored(settings, clock, {StoredPlace(ACME, 1, "r30", NOW, newest_ns)})) == lacked
