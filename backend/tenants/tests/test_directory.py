"""Tests that the copy of tenants and keys survives values it does not know, and reports its age."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, update

from backend.tenants.service import TenantService
from backend.tenants.tests.keys_of import keys_of
from kit.access_log import Access, logged
from kit.clock import ManualClock
from kit.errors import Unauthenticated
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import READ_SECONDS, STALE_SECONDS, Directory
from schema.control.keys import digest
from schema.control.models import ApiKey, Purpose, TenantRow

NOW = 1_790_000_000_000_000_000
PATIENCE_SECONDS = 60


@pytest.fixture
def settings(control_home: Path) -> Settings:
    return Settings(home=control_home)


def run(settings: Settings, use: Callable[[TenantService, ManualClock], Awaitable[None]]) -> None:
    async def body() -> None:
        clock = ManualClock(NOW)
        async with opened(settings.control_plane_url) as engine:
            service = TenantService(engine, clock)
            await service.create_tenant("acme", 7, 4096)
            await use(service, clock)

    asyncio.run(body())


def test_a_key_of_a_purpose_of_a_newer_release_is_left_out_alone(settings: Settings) -> None:
    async def use(service: TenantService, clock: ManualClock) -> None:
        tenant = await service.tenant("acme")
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        newer = {"id": "newer", "purpose": "stream", "sha256": digest("newer"), "label": "", "created_at_ns": NOW}
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(insert(ApiKey).values(tenant_id=tenant.id, **newer))
        directory = Directory(settings.control_plane_url, 1, clock)
        await directory.start()

        assert directory.problem() is None
        assert directory.grant(key.text).purpose is Purpose.query
        with pytest.raises(Unauthenticated):
            directory.grant("newer")
        await directory.stop()

    run(settings, use)


def test_errors_that_nobody_expects_do_not_end_the_refresh(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.repeating.AFTER_ERROR_SECONDS", 0.001)

    async def use(service: TenantService, clock: ManualClock) -> None:
        directory = Directory(settings.control_plane_url, 0.001, clock)
        failed = asyncio.Event()

        def fail(_: object) -> None:
            failed.set()
            raise KeyError("nobody expects this")

        with monkeypatch.context() as patched:
            patched.setattr(directory, "_engine", type("Broken", (), {"connect": fail, "dispose": None})())
            engine = directory._engine
            await directory.start()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await failed.wait()
            assert directory.problem() == "tenants and keys were never read"
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while directory.problem() is not None:
                await asyncio.sleep(0.001)
        assert directory._engine is not engine
        await directory.refresh()
        assert directory.grant(key.text).tenant.name == "acme"
        await directory.stop()

    run(settings, use)


def test_after_a_failed_read_everything_is_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise OSError("the database is being restored")

    async def use(service: TenantService, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        directory = Directory(settings.control_plane_url, 3600, clock)
        await directory.start()
        # Restores a backup without the key. The number grows, as if other tenants were changed afterwards.
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(delete(ApiKey))
            await connection.execute(update(TenantRow).values(revision=1))
        with monkeypatch.context() as patched:
            patched.setattr("schema.control.directory.read_changes", fail)
            await directory.refresh()
        assert directory.grant(key.text).tenant.name == "acme"
        await directory.refresh()

        with pytest.raises(Unauthenticated):
            directory.grant(key.text)
        await directory.stop()

    run(settings, use)


def test_an_old_copy_is_served_and_said_to_be_old(settings: Settings) -> None:
    async def use(service: TenantService, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        directory = Directory(settings.control_plane_url, 3600, clock)
        await directory.start()
        clock.advance(STALE_SECONDS)
        assert directory.problem() is None
        clock.advance(1)

        assert "last read 301 s ago: keys revoked since then still work" in (directory.problem() or "")
        assert directory.grant(key.text).tenant.name == "acme"
        await directory.stop()

    run(settings, use)


def test_a_database_that_never_answers_is_said_to_be_the_problem(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("schema.control.directory.READ_SECONDS", 0.01)
    monkeypatch.setattr("schema.control.directory.read_snapshot", never)

    async def use(_: TenantService, clock: ManualClock) -> None:
        directory = Directory(settings.control_plane_url, 3600, clock)
        await directory.start()
        assert directory.problem() == "tenants and keys were never read: the database did not answer within 0.01 s"
        await directory.stop()

    run(settings, use)


def test_a_database_that_never_answers_does_not_hold_up_a_stop(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("schema.control.directory.STOP_SECONDS", 0.01)
    monkeypatch.setattr("schema.control.directory.write_uses", never)

    async def use(service: TenantService, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        directory = Directory(settings.control_plane_url, 3600, clock)
        await directory.start()
        directory.grant(key.text)
        async with asyncio.timeout(READ_SECONDS / 2):
            await directory.stop()

    run(settings, use)


def test_a_known_key_is_noted_for_the_access_log(settings: Settings) -> None:
    async def use(service: TenantService, clock: ManualClock) -> None:
        key = await keys_of(service).create_key("acme", Purpose.query, "")
        directory = Directory(settings.control_plane_url, 1, clock)
        await directory.start()
        try:
            known, unknown = Access("GET"), Access("GET")
            with logged(known, clock):
                grant = directory.grant(key.text)
            with logged(unknown, clock), pytest.raises(Unauthenticated):
                directory.grant("wrong")
            assert (known.tenant, known.key) == ("acme", grant.key_id)
            assert (unknown.tenant, unknown.key) == (None, None)
        finally:
            await directory.stop()

    run(settings, use)
