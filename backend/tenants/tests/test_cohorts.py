import asyncio
from pathlib import Path

import pytest

from backend.store.scope import whole_retention
from backend.tenants.cohorts import read_cohort
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import DAY_NS, ManualClock
from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import Directory, Tenant
from schema.control.lifecycles import read_lifecycles
from schema.control.models import Purpose

NOW = 1_700_000_000 * 10**9


async def moved(settings: Settings, clock: ManualClock, *cohorts: str) -> tuple[Tenant, Tenant]:
    """Returns a tenant of r30 as processes know it right after its moves, and 10 s later."""
    directory = Directory(settings.control_plane_url, 1, clock)
    async with opened(settings.control_plane_url) as engine:
        service = TenantService(engine, clock)
        await service.create_tenant("acme", 30, 4096)
        key = (await keys_of(service).create_key("acme", Purpose.query, "")).text
        for cohort in cohorts:
            clock.advance(60)
            await service.move("acme", cohort)
        await directory.refresh()
        before = directory.grant(key).tenant
        clock.advance(10)
        await directory.refresh()
        after = directory.grant(key).tenant
    await directory.stop()
    return before, after


@pytest.fixture
def settings(control_home: Path) -> Settings:
    return Settings(home=control_home)


def test_a_move_is_searched_before_anything_is_sent_there(settings: Settings) -> None:
    before, after = asyncio.run(moved(settings, ManualClock(NOW), "own"))
    own = f"t{before.id}"
    assert (before.cohort, before.cohorts) == ("r30", ("r30", own))
    assert (after.cohort, after.cohorts, after.retention_days) == (own, ("r30", own), 30)


def test_every_cohort_a_tenant_ever_had_is_searched_for_as_long_as_the_longest_keeps(settings: Settings) -> None:
    clock = ManualClock(NOW)
    _, after = asyncio.run(moved(settings, clock, "r90", "own", "r7"))
    assert set(after.cohorts) == {"r30", "r90", f"t{after.id}", "r7"}
    assert (after.cohort, after.retention_days, after.longest_retention_days) == ("r7", 7, 90)
    assert whole_retention(after, clock.now_ns(), 0).start_ns == clock.now_ns() - 91 * DAY_NS


def test_retention_knows_how_long_an_own_cohort_is_kept(settings: Settings) -> None:
    _, after = asyncio.run(moved(settings, ManualClock(NOW), "r90", "own"))

    async def days() -> dict[str, int]:
        async with opened(settings.control_plane_url) as engine:
            return (await read_lifecycles(engine)).retention_days

    assert asyncio.run(days()) == {"r30": 30, "r90": 90, f"t{after.id}": 90}


@pytest.mark.parametrize("text", ["", "r0", "r", "r3651", "t7", "R30", "r-1", "r30 ", "r\u0663"])
def test_what_is_no_cohort_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_cohort(text, 7, 30)
