"""Tests that keys expire, report their last use, and that wrong keys are delayed by address."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from backend.tenants.changes import TenantChanges
from backend.tenants.keys import MAX_KEYS
from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.clock import ManualClock
from kit.errors import InvalidRequest, RateLimited, Unauthenticated
from kit.settings import Settings
from schema.control.changes import Actor
from schema.control.database import opened
from schema.control.directory import Directory
from schema.control.key_use import MINUTE_NS
from schema.control.limits import UNLIMITED
from schema.control.models import Purpose
from schema.control.snapshot import read_snapshot
from schema.control.wrong_keys import MAX_ADDRESSES, WrongKeys

NOW = 1_790_000_000_000_000_000


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    return Settings(home=tmp_path, control_url=control_url)


def run(settings: Settings, use: Callable[[TenantService, Directory, ManualClock], Awaitable[None]]) -> None:
    async def body() -> None:
        clock = ManualClock(NOW)
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, clock)
            await service.create_tenant("acme", 7, 4096)
            directory = Directory(settings.control_plane_url, 3600, clock, UNLIMITED, 2)
            try:
                await use(service, directory, clock)
            finally:
                await directory.stop()

    asyncio.run(body())


def test_a_key_works_until_the_second_it_expires(settings: Settings) -> None:
    async def use(service: TenantService, directory: Directory, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.ingest, "", NOW + 5 * 10**9)
        await directory.refresh()
        clock.advance(4.999)
        assert directory.grant(key.text).key_id == key.id
        clock.advance(0.001)
        with pytest.raises(Unauthenticated, match=f"{key.id} expired at 2026-.*logsieve key create acme"):
            directory.grant(key.text)
        with pytest.raises(InvalidRequest, match="would expire before now"):
            await keys_of(service).create_key("acme", Purpose.ingest, "", clock.now_ns())

    run(settings, use)


def test_the_last_use_is_written_to_the_minute_and_never_goes_back(settings: Settings) -> None:
    async def use(service: TenantService, directory: Directory, clock: ManualClock) -> None:
        async def last_used() -> int | None:
            await directory.write_key_use()
            (shown,) = await keys_of(service).keys("acme")
            return shown.last_used_at_ns

        key = await keys_of(service).create_key("acme", Purpose.ingest, "")
        await directory.refresh()
        assert await last_used() is None
        for minute in (NOW // MINUTE_NS, NOW // MINUTE_NS + 1):
            directory.grant(key.text)
            assert await last_used() == minute * MINUTE_NS
            clock.advance(60)
        clock.advance(-3600)
        directory.grant(key.text)
        assert await last_used() == (NOW // MINUTE_NS + 1) * MINUTE_NS

    run(settings, use)


def test_a_tenant_has_so_many_keys_that_work_and_no_more(settings: Settings) -> None:
    async def use(service: TenantService, _directory: Directory, clock: ManualClock) -> None:
        expiring = await keys_of(service).create_key("acme", Purpose.ingest, "", NOW + 10**9)
        keys = [await keys_of(service).create_key("acme", Purpose.ingest, "") for _ in range(MAX_KEYS - 1)]
        with pytest.raises(InvalidRequest, match=f"has {MAX_KEYS} valid keys.*revoke an unused one"):
            await keys_of(service).create_key("acme", Purpose.ingest, "")
        await keys_of(service).revoke_key(keys[0].id)
        await keys_of(service).create_key("acme", Purpose.ingest, "")
        clock.advance(1)
        await keys_of(service).create_key("acme", Purpose.ingest, "")
        assert expiring.id in {key.id for key in await keys_of(service).keys("acme")}

    run(settings, use)


def test_wrong_keys_are_delayed_by_address_and_right_ones_never(settings: Settings) -> None:
    async def use(service: TenantService, directory: Directory, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.ingest, "")
        await directory.refresh()
        for _ in range(2):
            with pytest.raises(Unauthenticated):
                directory.grant("wrong", "10.0.0.1")
        with pytest.raises(RateLimited) as delayed:
            directory.grant("wrong", "10.0.0.1")
        assert delayed.value.retry_after == pytest.approx(30)
        assert directory.grant(key.text, "10.0.0.1").key_id == key.id
        with pytest.raises(Unauthenticated):
            directory.grant("wrong", "10.0.0.2")
        clock.advance(30)
        with pytest.raises(Unauthenticated):
            directory.grant("wrong", "10.0.0.1")

    run(settings, use)


def test_a_network_of_ipv6_is_one_address_and_few_are_remembered() -> None:
    wrong = WrongKeys(1, ManualClock(NOW))
    wrong.count("2001:db8::1")
    with pytest.raises(RateLimited):
        wrong.count("2001:db8::2")
    wrong.count("no address")
    for other in ("another text", "", "unknown"):
        with pytest.raises(RateLimited):
            wrong.count(other)
    for number in range(MAX_ADDRESSES):
        wrong.count(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(wrong._buckets) == MAX_ADDRESSES
    wrong.count("2001:db8::1")


def test_only_the_last_revoked_keys_are_kept(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.tenants.key_repository.KEPT_ENDED", 2)

    async def use(service: TenantService, directory: Directory, clock: ManualClock) -> None:
        made = []
        for _ in range(4):
            made.append(await keys_of(service).create_key("acme", Purpose.ingest, ""))
            await directory.refresh()
            directory.grant(made[-1].text)
            await directory.write_key_use()
            clock.advance(1)
            await keys_of(service).revoke_key(made[-1].id)
        last = await keys_of(service).create_key("acme", Purpose.ingest, "")
        assert {key.id for key in await keys_of(service).keys("acme")} == {made[2].id, made[3].id, last.id}
        await directory.refresh()
        assert directory.grant(last.text).key_id == last.id

    run(settings, use)


def test_only_the_last_expired_keys_are_kept(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.tenants.key_repository.KEPT_ENDED", 2)

    async def use(service: TenantService, directory: Directory, clock: ManualClock) -> None:
        made = []
        for _ in range(2 + 5):
            made.append(await keys_of(service).create_key("acme", Purpose.ingest, "", clock.now_ns() + 10**9))
            clock.advance(1)
        last = await keys_of(service).create_key("acme", Purpose.ingest, "")
        assert {key.id for key in await keys_of(service).keys("acme")} == {made[-2].id, made[-1].id, last.id}
        async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
            assert len((await read_snapshot(connection, clock.now_ns())).grants) == 3
        await directory.refresh()
        with pytest.raises(Unauthenticated, match=f"the key {made[-1].id} expired"):
            directory.grant(made[-1].text)

    run(settings, use)


def test_a_revoked_key_makes_no_change_although_a_process_does_not_know_it_yet(settings: Settings) -> None:
    async def use(service: TenantService, _directory: Directory, clock: ManualClock) -> None:
        key, (tenant,) = await keys_of(service).create_key("acme", Purpose.admin, ""), await service.tenants()
        by_key = TenantService(service._engine, clock, Actor.of_key(key.id, tenant.id, "10.0.0.1"))
        other = await keys_of(by_key).create_key("acme", Purpose.query, "")
        await keys_of(service).revoke_key(key.id)
        with pytest.raises(Unauthenticated):
            await keys_of(by_key).create_key("acme", Purpose.admin, "")
        assert {each.id for each in await keys_of(service).keys("acme")} == {key.id, other.id}

    run(settings, use)


def test_the_key_of_a_deleted_tenant_changes_no_new_tenant_of_its_name(settings: Settings) -> None:
    async def use(service: TenantService, _directory: Directory, clock: ManualClock) -> None:
        key, (tenant,) = await keys_of(service).create_key("acme", Purpose.admin, ""), await service.tenants()
        by_key = TenantService(service._engine, clock, Actor.of_key(key.id, tenant.id, "10.0.0.1"))
        await service.delete_tenant("acme")
        await service.create_tenant("acme", 7, 4096)
        with pytest.raises(Unauthenticated):
            await keys_of(by_key).create_key("acme", Purpose.admin, "")
        assert await keys_of(service).keys("acme") == []

    run(settings, use)


def test_the_last_retention_wins_although_the_clock_of_the_one_before_was_ahead(settings: Settings) -> None:
    async def use(service: TenantService, _directory: Directory, clock: ManualClock) -> None:
        clock.advance(120)
        await service.change_tenant("acme", TenantChanges(retention_days=30))
        clock.advance(-90)
        await service.change_tenant("acme", TenantChanges(retention_days=90))
        clock.advance(3600)
        (tenant,) = await service.tenants()
        assert (tenant.retention_days, tenant.cohort_in_force) == (90, "r90")

    run(settings, use)
