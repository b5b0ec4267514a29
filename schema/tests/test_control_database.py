"""Tests the errors for a control plane whose database is unreachable, empty or misused."""

import asyncio
import traceback
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from kit.errors import InvalidRequest, Unavailable
from kit.settings import Settings
from schema.control.database import is_refusal, open_database, opened
from schema.control.lifecycles import read_lifecycles
from schema.control.models import Lane
from schema.migrate import migrate_control
from tests.control_database import PostgreSQL

NOBODY_LISTENS: Final = "postgresql+asyncpg://logsieve@127.0.0.1:9/control"


async def read(url: str) -> None:
    async with opened(url) as engine:
        await read_lifecycles(engine)


def test_an_unreachable_server_is_unavailable() -> None:
    with pytest.raises(Unavailable, match=r"127.0.0.1.*; start its database, or correct LOGSIEVE_CONTROL_URL"):
        asyncio.run(read(NOBODY_LISTENS))


def test_a_connection_without_an_answer_is_said_in_words() -> None:
    async def time_out() -> None:
        async with opened(NOBODY_LISTENS):
            raise OperationalError("(connecting)", None, TimeoutError())

    with pytest.raises(Unavailable, match="cannot be used: the database did not answer within 30 s; start"):
        asyncio.run(time_out())


def test_a_database_that_is_not_there_is_unavailable(postgresql: PostgreSQL) -> None:
    url = postgresql.new_database()
    postgresql.drop_database(url)

    with pytest.raises(Unavailable, match=r"does not exist; start its database, or correct LOGSIEVE_CONTROL_URL"):
        asyncio.run(read(url))


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    # Repeated, because no thread may be left that reports to the closed loop: an error there fails the test.
    for _ in range(100):
        with pytest.raises(Unavailable, match="unable to open database file; start"):
            asyncio.run(read(f"sqlite+aiosqlite:///{tmp_path}/file/control.db"))


@pytest.mark.parametrize("name", ["a?b=1", "a%20b", "a#b", "a b+c", "ключ"])
def test_a_home_of_any_name_has_its_database_in_itself(tmp_path: Path, name: str) -> None:
    settings = Settings(home=tmp_path / name)
    settings.home.mkdir()

    assert make_url(settings.control_plane_url).database == str(tmp_path / name / "control.db")
    asyncio.run(migrate_control(settings))
    assert (tmp_path / name / "control.db").exists()


def test_before_migrate_it_says_what_to_run(empty_control_url: str) -> None:
    with pytest.raises(Unavailable, match=r"tenant.*; run `logsieve migrate`"):
        asyncio.run(read(empty_control_url))


def test_an_older_schema_is_to_be_migrated(control_url: str) -> None:
    async def read_without_a_column() -> None:
        async with opened(control_url) as engine, engine.begin() as connection:
            await connection.execute(text("ALTER TABLE tenant_cohort DROP COLUMN retention_days"))
        await read(control_url)

    with pytest.raises(Unavailable, match=r"retention_days.*; run `logsieve migrate`"):
        asyncio.run(read_without_a_column())


def test_a_fault_of_ours_is_not_said_to_be_the_databases(control_url: str) -> None:
    async def add_lane_zero_again() -> None:
        async with opened(control_url) as engine, engine.begin() as connection:
            await connection.execute(insert(Lane).values(number=0))

    with pytest.raises(IntegrityError):
        asyncio.run(add_lane_zero_again())


@pytest.mark.parametrize("empty_control_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("value", "kind"), [("NUL: \0", "text"), (2**63, "bigint")])
def test_a_value_that_postgresql_refuses_is_a_fault_of_ours(
    empty_control_url: str, value: str | int, kind: str
) -> None:
    async def read_it() -> None:
        async with opened(empty_control_url) as engine, engine.connect() as connection:
            await connection.execute(text(f"SELECT CAST(:value AS {kind})"), {"value": value})

    with pytest.raises(DBAPIError) as raised:
        asyncio.run(read_it())
    assert is_refusal(raised.value)


def test_an_error_does_not_show_the_values_of_its_statement(empty_control_url: str) -> None:
    secret = "s3c" + "ret"

    async def store() -> None:
        async with opened(empty_control_url) as engine, engine.begin() as connection:
            await connection.execute(text("INSERT INTO absent (a) VALUES (:a)"), {"a": secret})

    with pytest.raises(Unavailable) as raised:
        asyncio.run(store())
    shown = "".join(traceback.format_exception(raised.value))
    assert "INSERT INTO absent" in shown
    assert secret not in shown


def test_only_connections_to_a_server_are_checked_before_use(
    empty_control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[DBAPIConnection] = []

    async def connect_twice() -> None:
        async with opened(empty_control_url) as engine:
            dialect = engine.sync_engine.dialect
            do_ping = dialect.do_ping

            def count(connection: DBAPIConnection) -> bool:
                requested.append(connection)
                return do_ping(connection)

            monkeypatch.setattr(dialect, "do_ping", count)
            for _ in range(2):
                async with engine.connect() as connection:
                    await connection.execute(text("SELECT 1"))

    asyncio.run(connect_twice())
    assert len(requested) == (0 if empty_control_url.startswith("sqlite") else 1)


@pytest.mark.parametrize("url", ["control.db", "postgresql+asyncpg://me:s3cret@host:s3cret/control"])
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(InvalidRequest, match="LOGSIEVE_CONTROL_URL cannot be read: write it as") as refused:
        open_database(url)
    assert "s3cret" not in refused.value.detail
