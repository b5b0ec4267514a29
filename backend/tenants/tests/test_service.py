"""Tests of tenants and keys on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import delete

from backend.tenants.lanes import pick_lane
from backend.tenants.repository import TenantRepository
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.errors import Conflict, InvalidRequest, NotFound, Unauthenticated, Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import Directory
from schema.control.limits import UNLIMITED, Limits
from schema.control.models import Lane, Purpose
from tests.control_database import PostgreSQL, until_waiting

Result = TypeVar("Result")
NOW = 1_790_000_000_000_000_000


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    return Settings(home=tmp_path, control_url=control_url)


def run(settings: Settings, use: Callable[[TenantService], Awaitable[Result]]) -> Result:
    async def body() -> Result:
        async with opened(settings.control_plane_url) as engine:
            return await use(TenantService(engine, ManualClock(NOW)))

    return asyncio.run(body())


def test_a_tenant_gets_a_lane_and_the_cohort_of_its_retention(settings: Settings) -> None:
    tenant = run(settings, lambda service: service.create_tenant("acme", 7, 4096))

    assert tenant.cohort == "r7"
    assert 0 <= tenant.lane < settings.lanes
    assert run(settings, lambda service: service.tenants()) == [tenant]


def test_a_tenant_is_put_on_a_lane_that_there_is(settings: Settings) -> None:
    async def create(service: TenantService) -> None:
        for lane in range(settings.lanes):
            assert (await service.create_tenant(f"acme-{lane}", 7, 4096, lane)).lane == lane
        for lane in (-1, settings.lanes, 2**70):
            with pytest.raises(InvalidRequest, match=f"no lane {lane}: choose one of 0, 1, 2, 3"):
                await service.create_tenant("nowhere", 7, 4096, lane)
        assert [tenant.lane for tenant in await service.tenants()] == [*range(settings.lanes)]

    run(settings, create)


def test_a_name_is_taken_once(settings: Settings) -> None:
    run(settings, lambda service: service.create_tenant("acme", 7, 4096))

    with pytest.raises(Conflict, match="'acme' already"):
        run(settings, lambda service: service.create_tenant("acme", 30, 4096))


@pytest.mark.parametrize(
    ("name", "retention_days", "body_max_bytes"),
    [("Acme", 7, 4096), ("", 7, 4096), ("a" * 64, 7, 4096), ("a b", 7, 4096), ("acme", 0, 4096), ("acme", 7, 65_537)],
)
def test_what_is_out_of_range_is_refused(
    settings: Settings, name: str, retention_days: int, body_max_bytes: int
) -> None:
    with pytest.raises(InvalidRequest):
        run(settings, lambda service: service.create_tenant(name, retention_days, body_max_bytes))


def test_without_lanes_it_says_what_to_run(settings: Settings) -> None:
    async def forget_lanes() -> None:
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(delete(Lane))

    asyncio.run(forget_lanes())

    with pytest.raises(Unavailable, match="logsieve migrate"):
        run(settings, lambda service: service.create_tenant("acme", 7, 4096))


def test_a_key_is_shown_once_and_works_until_it_is_revoked(settings: Settings) -> None:
    async def life_of_a_key(service: TenantService) -> None:
        await service.create_tenant("acme", 7, 4096)
        key = await keys_of(service).create_key("acme", Purpose.query, "laptop")
        directory = Directory(settings.control_plane_url, 1, ManualClock(NOW))
        await directory.start()
        grant = directory.grant(key.text)
        assert (grant.tenant.name, grant.purpose, grant.key_id) == ("acme", Purpose.query, key.id)
        assert key.text not in repr(await keys_of(service).keys("acme"))

        await keys_of(service).revoke_key(key.id)
        await directory.refresh()
        with pytest.raises(Unauthenticated):
            directory.grant(key.text)
        assert (await keys_of(service).keys("acme"))[0].revoked_at_ns == NOW
        await directory.stop()

    run(settings, life_of_a_key)


def test_the_directory_keeps_serving_when_its_file_is_missing(control_home: Path) -> None:
    settings = Settings(home=control_home)

    def rename_file() -> None:
        (control_home / "control.db").rename(control_home / "renamed.db")
        (control_home / "control.db").mkdir()

    run(settings, lambda service: outlast(settings, service, rename_file))


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_the_directory_keeps_serving_when_a_server_refuses(settings: Settings, postgresql: PostgreSQL) -> None:

    run(
        settings,
        lambda service: outlast(settings, service, lambda: postgresql.drop_database(settings.control_plane_url)),
    )


async def outlast(settings: Settings, service: TenantService, rename_file: Callable[[], None]) -> None:
    await service.create_tenant("acme", 7, 4096)
    key = await keys_of(service).create_key("acme", Purpose.ingest, "")
    directory = Directory(settings.control_plane_url, 1, ManualClock(NOW))
    assert directory.problem() is not None
    with pytest.raises(Unavailable):
        directory.grant(key.text)
    await directory.start()

    await asyncio.to_thread(rename_file)
    directory_after_outage = Directory(settings.control_plane_url, 1, ManualClock(NOW))
    await directory_after_outage.start()
    assert directory_after_outage.problem() is not None
    await directory.refresh()
    assert directory.grant(key.text).tenant.name == "acme"
    await directory_after_outage.stop()
    await directory.stop()


def test_limits_change_one_by_one_and_receivers_know(settings: Settings) -> None:
    async def limit(service: TenantService) -> None:
        await service.create_tenant("acme", 7, 4096)
        assert await service.limits("acme") == UNLIMITED
        await service.set_limits("acme", {"bytes_per_second": 5, "bytes_per_day": 2**62})
        limits = await service.set_limits("acme", {"records_per_second": 6, "bytes_per_second": None})
        assert limits == Limits(None, 6, 2**62)
        assert [tenant.limits for tenant in await service.tenants()] == [limits]
        key = await keys_of(service).create_key("acme", Purpose.ingest, "")
        directory = Directory(settings.control_plane_url, 1, ManualClock(NOW))
        await directory.start()
        assert directory.grant(key.text).tenant.limits == limits
        await directory.stop()
        with pytest.raises(InvalidRequest):
            await service.set_limits("acme", {"bytes_per_day": 0})
        with pytest.raises(NotFound):
            await service.set_limits("nobody", {"bytes_per_day": 1})

    run(settings, limit)


def test_more_partitions_are_announced_and_former_ones_are_kept(settings: Settings) -> None:
    async def change(_service: TenantService) -> None:
        clock = ManualClock(NOW)
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, clock)
            tenant = await service.create_tenant("wide", 7, 4096, limits={"partitions": 16})
            directory = Directory(settings.control_plane_url, 1, clock)
            await directory.start()

            async def seen() -> tuple[int, int]:
                await directory.refresh()
                ways = directory.ways(tenant.id)
                return ways.written(clock.now_ns()), ways.read(clock.now_ns())

            assert await seen() == (4, 16)
            clock.advance(60)
            assert await seen() == (16, 16)
            assert (await service.set_limits("wide", {"partitions": 2})).partitions == 2
            assert await seen() == (2, 16)
            clock.advance(86_400)
            assert await seen() == (2, 2)
            assert (await service.replace_limits("wide", {})).partitions is None
            assert await seen() == (2, 4)
            await service.set_limits("wide", {"bytes_per_second": 1_000, "partitions": 3})
            for refused in (service.set_limits, service.replace_limits):
                with pytest.raises(InvalidRequest, match="1 to 16"):
                    await refused("wide", {"partitions": 17})
            assert await service.limits("wide") == Limits(bytes_per_second=1_000, partitions=3)
            assert await service.replace_limits("wide", {"records_per_second": 5}) == Limits(records_per_second=5)
            await directory.stop()

    run(settings, change)


def test_two_first_changes_of_limits_at_once_both_hold(settings: Settings) -> None:
    run(settings, lambda service: service.create_tenant("acme", 7, 4096))

    async def race() -> None:
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, ManualClock(NOW))
            tenant = await service.tenant("acme")
            async with engine.begin() as connection:
                await TenantRepository(connection).set_limits(tenant.id, {"bytes_per_second": 5}, 0)
                second = asyncio.create_task(service.set_limits("acme", {"bytes_per_day": 7}))
                await until_waiting(second, engine)
            assert await second == await service.limits("acme") == Limits(bytes_per_second=5, bytes_per_day=7)

    asyncio.run(race())


def test_unknown_names_are_not_found(settings: Settings) -> None:
    with pytest.raises(NotFound):
        run(settings, lambda service: keys_of(service).create_key("nobody", Purpose.query, ""))
    with pytest.raises(NotFound):
        run(settings, lambda service: keys_of(service).keys("nobody"))
    with pytest.raises(NotFound):
        run(settings, lambda service: keys_of(service).revoke_key("ffffffffffff"))


def test_names_and_labels_no_database_could_keep_are_refused(settings: Settings) -> None:
    tenant = run(settings, lambda service: service.create_tenant("acme", 7, 4096))
    with pytest.raises(InvalidRequest, match="NUL"):
        run(settings, lambda service: keys_of(service).create_key("acme", Purpose.query, "a\0b"))
    with pytest.raises(InvalidRequest, match="has 101 characters"):
        run(settings, lambda service: keys_of(service).create_key("acme", Purpose.query, "x" * 101))
    with pytest.raises(NotFound, match="no key 'ffffffffffff'"):
        run(settings, lambda service: keys_of(service).label_key("ffffffffffff", "laptop"))
    run(settings, lambda service: service.delete_tenant("acme"))

    for name in ("a\0b", f"#{tenant.id}"):
        with pytest.raises(NotFound):
            run(settings, lambda service, name=name: keys_of(service).create_key(name, Purpose.query, ""))  # type: ignore[misc]


def test_lanes_are_spread() -> None:
    lanes = [pick_lane(f"tenant-{number}", (0, 1, 2, 3)) for number in range(1000)]

    assert all(200 < lanes.count(lane) < 300 for lane in range(4))


def test_a_new_retention_is_a_new_cohort_and_the_old_one_is_still_searched(settings: Settings) -> None:
    run(settings, lambda service: service.create_tenant("acme", 30, 4096))

    async def later() -> tuple[str, ...]:
        clock = ManualClock(NOW + 10**9)
        async with opened(settings.control_plane_url) as engine:
            await TenantService(engine, clock).set_retention("acme", 7)
            clock.advance(10)
            key = await keys_of(TenantService(engine, clock)).create_key("acme", Purpose.query, "")
        directory = Directory(settings.control_plane_url, 1, clock)
        await directory.refresh()
        tenant = directory.grant(key.text).tenant
        await directory.stop()
        assert (tenant.cohort, tenant.retention_days) == ("r7", 7)
        return tenant.cohorts

    assert asyncio.run(later()) == ("r30", "r7")


def test_a_deleted_tenant_has_no_keys_and_its_name_is_free(settings: Settings) -> None:
    first = run(settings, lambda service: service.create_tenant("acme", 30, 4096))
    key = run(settings, lambda service: keys_of(service).create_key("acme", Purpose.query, ""))
    run(settings, lambda service: service.delete_tenant("acme"))

    async def granted() -> None:
        directory = Directory(settings.control_plane_url, 1, ManualClock(NOW))
        await directory.refresh()
        await directory.stop()
        directory.grant(key.text)

    with pytest.raises(Unauthenticated):
        asyncio.run(granted())
    with pytest.raises(NotFound):
        run(settings, lambda service: service.delete_tenant("acme"))
    assert run(settings, lambda service: service.tenants()) == []
    assert run(settings, lambda service: service.create_tenant("acme", 30, 4096)).id != first.id
