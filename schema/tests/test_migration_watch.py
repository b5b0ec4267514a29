"""Tests that a migration of a control plane in PostgreSQL says which lock it waits for, and ends with a reason."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import Row, text
from sqlalchemy.engine import make_url

from kit.errors import Unavailable
from kit.settings import Settings
from schema.control import migration_watch, postgresql_waits
from schema.control.changes import COUNT_CHANGE
from schema.control.database import opened
from schema.migrate import migrate_control
from schema.tests.silent_postgresql import pooled, relayed
from tests.control_database import OWNER, PostgreSQL

PATIENCE_SECONDS = 60
IN_POSTGRESQL = pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_watch, "POLL_SECONDS", 0.02)


@IN_POSTGRESQL
@pytest.mark.parametrize(
    ("statement", "lock"),
    [("LOCK TABLE lane", "table lane"), ("UPDATE control_revision SET number = number", "a row")],
)
def test_a_lock_that_a_forgotten_session_keeps_is_named(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch, statement: str, lock: str
) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)
    said = list[str]()

    def say(sentence: str) -> None:
        said.append(sentence)

    async def migrate_beside() -> int:
        async with opened(settings.control_plane_url) as engine, engine.begin() as forgotten:
            await forgotten.execute(text(statement))
            pid = int(await forgotten.scalar(text("SELECT pg_backend_pid()")) or 0)
            # Shorter than the real limit of 10 s, and long enough for a read of the watch on a busy machine.
            monkeypatch.setattr(postgresql_waits, "LOCK_SECONDS", 4)
            with pytest.raises(Unavailable) as raised:
                await migrate_control(settings, say)
            assert f"PostgreSQL session {pid} (user {OWNER}, idle in transaction) holds the lock of {lock}" in str(
                raised.value
            )
            assert f"pg_terminate_backend({pid})" in str(raised.value)
            return pid

    pid = asyncio.run(migrate_beside())
    assert len(said) == 1
    assert said[0].startswith(
        f"waiting up to 10 s, because PostgreSQL session {pid} (user {OWNER}, idle in transaction)"
    )
    assert "in a transaction that began 0:00:0" in said[0]
    asyncio.run(migrate_control(settings, said.append))
    assert len(said) == 1


@IN_POSTGRESQL
def test_a_lock_that_is_released_in_time_is_named_and_the_migration_goes_on(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)
    said = asyncio.Queue[str]()

    async def migrate_beside() -> tuple[int, ...]:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as other:
                await other.execute(COUNT_CHANGE)
                migrating = asyncio.create_task(migrate_control(settings, said.put_nowait))
                async with asyncio.timeout(PATIENCE_SECONDS):
                    assert "holds the lock of a row" in await said.get()
            return await migrating

    assert asyncio.run(migrate_beside()) == tuple(range(settings.lanes))


def test_a_second_migration_says_that_it_waits_for_the_first(tmp_path: Path, postgresql: PostgreSQL) -> None:
    said = asyncio.Queue[str]()

    async def migrate_twice(settings: Settings) -> None:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as first:
                await first.execute(text("SELECT pg_advisory_xact_lock(7164775, 1)"))
                second = asyncio.create_task(migrate_control(settings, said.put_nowait))
                async with asyncio.timeout(PATIENCE_SECONDS):
                    assert "migrates the control plane" in await said.get()
            await second

    url = postgresql.new_database()
    try:
        asyncio.run(migrate_twice(Settings(home=tmp_path, control_url=url)))
    finally:
        postgresql.drop_database(url)


@IN_POSTGRESQL
@pytest.mark.parametrize("last", [b"UPDATE control_revision", b"COMMIT"])
def test_a_migration_of_a_server_that_stops_answering_ends(
    tmp_path: Path, control_url: str, postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch, last: bytes
) -> None:
    # Long enough for the first read of the watch on a busy machine: without it, the migration has no watch.
    monkeypatch.setattr(migration_watch, "STATEMENT_SECONDS", 5.0)
    database = make_url(control_url).database

    async def migrate_silently() -> None:
        silent = asyncio.Event()
        async with relayed(postgresql, silent, last) as port, asyncio.timeout(PATIENCE_SECONDS):
            url = f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/{database}"
            await migrate_control(Settings(home=tmp_path, control_url=url))

    with pytest.raises(Unavailable, match=r"PostgreSQL has not answered for 5 s, so the migration .* was ended"):
        asyncio.run(migrate_silently())


@IN_POSTGRESQL
def test_a_lock_is_named_once_while_the_session_that_holds_it_works(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state of such a session changes all the time. The first reads of the watch fail, as after an administrator
    has ended its connection."""
    settings = Settings(home=tmp_path, control_url=control_url)
    said, states, failures = list[str](), set[object](), [OSError("lost")] * 3
    read = migration_watch.MigrationWatch._read

    async def read_and_note(watch: migration_watch.MigrationWatch, pid: int) -> Row[tuple[object, ...]] | None:
        if watch._task is not None and failures:
            raise failures.pop()
        if (found := await read(watch, pid)) is not None:
            states.add(found.state)
        return found

    async def migrate_beside() -> None:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as other:
                await other.execute(COUNT_CHANGE)
                migrating = asyncio.create_task(migrate_control(settings, said.append))
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while len(states) < 2:
                        await other.execute(text("SELECT pg_sleep(0.1)"))
                        await asyncio.sleep(0.1)
            await migrating

    monkeypatch.setattr(migration_watch.MigrationWatch, "_read", read_and_note)
    asyncio.run(migrate_beside())
    assert states == {"active", "idle in transaction"}
    assert failures == []
    assert len(said) == 1


@IN_POSTGRESQL
def test_a_migration_of_a_pool_with_one_connection_runs_without_a_watch(
    tmp_path: Path, control_url: str, postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL would end the transaction of the migration if it waited for the watch for IDLE_SECONDS. As in
    production, this is also the longest wait for an answer."""
    monkeypatch.setattr(postgresql_waits, "IDLE_SECONDS", 10)
    monkeypatch.setattr(migration_watch, "STATEMENT_SECONDS", 10.0)
    monkeypatch.setattr(migration_watch, "FIRST_SECONDS", 1.0)
    database = make_url(control_url).database

    async def migrate_alone() -> tuple[int, ...]:
        async with pooled(postgresql) as port, asyncio.timeout(PATIENCE_SECONDS):
            url = f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/{database}"
            return await migrate_control(Settings(home=tmp_path, control_url=url))

    assert asyncio.run(migrate_alone()) == (0, 1, 2, 3)
