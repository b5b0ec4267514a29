"""The control plane's migrations lead to its models, from nothing and when run again."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import func, insert, select, text

from kit.clock import SystemClock
from kit.errors import Conflict
from kit.settings import Settings
from schema.control.alert_models import AlertEvent
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.models import AuditEntry, Lane, TenantRow
from schema.drift import control_drift
from schema.migrate import migrate_control, upgrade_control_tables
from tests.control_database import until_waiting


def test_migrations_lead_to_the_models(tmp_path: Path, empty_control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)
    for _ in range(2):
        asyncio.run(migrate_control(settings))

        assert asyncio.run(control_drift(settings)) == []


def test_lanes_are_added_and_never_removed(tmp_path: Path, empty_control_url: str) -> None:
    def migrated(lanes: int) -> None:
        settings = Settings(home=tmp_path, control_url=empty_control_url, lanes=lanes, max_lanes=lanes)
        assert asyncio.run(migrate_control(settings)) == tuple(range(lanes))

    migrated(4)
    with pytest.raises(Conflict, match="set LOGSIEVE_MAX_LANES to 4 or more"):
        migrated(2)
    migrated(6)
    with pytest.raises(Conflict, match="set LOGSIEVE_MAX_LANES to 6 or more"):
        migrated(4)


def test_a_lane_that_searches_may_not_read_is_refused_even_if_others_are_missing(
    tmp_path: Path, empty_control_url: str
) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url, lanes=2, max_lanes=4)
    asyncio.run(migrate_control(settings))

    async def restore(lane: int) -> None:
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(insert(Lane).values(number=lane))

    asyncio.run(restore(3))
    assert asyncio.run(migrate_control(settings)) == (0, 1, 3)
    asyncio.run(restore(4))
    with pytest.raises(Conflict, match="set LOGSIEVE_MAX_LANES to 5 or more"):
        asyncio.run(migrate_control(settings))


def test_a_missing_table_is_drift(tmp_path: Path, empty_control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)

    tables = {drift.difference for drift in asyncio.run(control_drift(settings))}

    assert any("api_key" in difference for difference in tables)


@pytest.mark.parametrize(
    ("revision", "difference"),
    [
        ("0015", r"its revision is 0015, and this release's is \d{4}: run `logsieve migrate`"),
        ("9999", r"a newer release has migrated it \(revision 9999\): run that release, .*"),
    ],
)
def test_another_revision_with_the_same_tables_is_drift(
    tmp_path: Path, empty_control_url: str, revision: str, difference: str
) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)
    asyncio.run(migrate_control(settings))

    async def store() -> None:
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": revision})

    asyncio.run(store())
    [drift] = asyncio.run(control_drift(settings))

    assert drift.where == "control plane"
    assert re.fullmatch(difference, drift.difference)


def test_an_interrupted_migration_leaves_nothing(
    tmp_path: Path, empty_control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)

    def interrupted(config: Config, revision: str) -> None:
        command.upgrade(config, revision)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("schema.revisions.command", SimpleNamespace(upgrade=interrupted))
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(migrate_control(settings))

    asyncio.run(migrate_control(settings))
    assert asyncio.run(control_drift(settings)) == []


def test_a_second_migration_waits_for_the_first(tmp_path: Path, empty_control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)

    async def migrate_twice() -> tuple[int, ...]:
        async with opened(settings.control_plane_url) as engine, engine.begin() as first:
            await first.run_sync(upgrade_control_tables)
            second = asyncio.create_task(migrate_control(settings))
            await until_waiting(second, engine)
            assert not second.done()
        return await second

    assert asyncio.run(migrate_twice()) == tuple(range(settings.lanes))
    assert asyncio.run(control_drift(settings)) == []


def test_ids_of_rows_that_tenants_make_have_64_bits(tmp_path: Path, empty_control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=empty_control_url)
    asyncio.run(migrate_control(settings))

    tenant = {"id": 1, "name": "acme", "lane": 0, "body_max_bytes": 1, "created_at_ns": 0}
    event = {
        "tenant_id": 1,
        "rule_id": "r",
        "at_ns": 0,
        "group": "null",
        "before": "ok",
        "after": "error",
        "detail": "",
    }

    async def add() -> int:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    await connection.execute(text(f"SELECT setval('audit_entry_id_seq', {2**31})"))
                    await connection.execute(text(f"SELECT setval('alert_event_id_seq', {2**31})"))
                await connection.execute(insert(TenantRow).values(**tenant))
                await connection.execute(insert(AlertEvent).values(**event))
            async with changing(engine, SystemClock(), this_user()) as change:
                await change.note("test", None)
                return await change.connection.scalar(select(func.max(AuditEntry.id))) or 0

    assert asyncio.run(add()) > (2**31 if empty_control_url.startswith("postgresql") else 0)
