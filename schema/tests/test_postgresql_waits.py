"""Tests that connections to PostgreSQL end when the server is silent, wait for locks only for a limited time, and hold
locks only for a limited time while their process is stopped. Their close does not wait for a silent server."""

import asyncio
import os
import socket
import subprocess
import sys
from typing import Final

import pytest
from sqlalchemy import AsyncAdaptedQueuePool, text
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_connection
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.folders import PACKAGES
from schema.control.changes import changing, this_user
from schema.control.database import open_database, opened
from schema.control.postgresql_waits import IDLE_SECONDS, LOCK_SECONDS, SILENT_SECONDS, STATEMENT_SECONDS
from schema.tests.silent_postgresql import relayed
from tests.control_database import OWNER, PostgreSQL

STOP_IN_A_CHANGE: Final = """
import asyncio, os, signal, sys

from kit.clock import SystemClock
from schema.control import postgresql_waits
from schema.control.changes import changing, this_user
from schema.control.database import opened

async def stop_in_a_change():
    async with opened(sys.argv[1]) as engine, changing(engine, SystemClock(), this_user()):
        os.kill(os.getpid(), signal.SIGSTOP)

postgresql_waits.IDLE_SECONDS = 1  # The test need not wait for the real limit.
asyncio.run(stop_in_a_change())
"""


PATIENCE_SECONDS: Final = 30


def test_unused_connections_to_a_silent_server_are_closed(postgresql: PostgreSQL) -> None:
    async def use() -> None:
        silent = asyncio.Event()
        async with relayed(postgresql, silent) as port:
            url = f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres"
            async with opened(url) as engine, engine.connect() as connection:
                raw = (await connection.get_raw_connection()).driver_connection
            silent.set()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await engine.dispose()
            assert raw is not None
            assert raw.is_closed()

    asyncio.run(use())


@pytest.mark.parametrize("last", [None, b"\0;\0"], ids=["rollback", "ping"])
def test_a_rollback_or_ping_without_an_answer_ends_and_frees_its_place(
    postgresql: PostgreSQL, last: bytes | None
) -> None:
    """The ROLLBACK follows the first SELECT. The ping is the statement `;` in a transaction of its own, before the
    connection is used a second time."""

    async def read_twice(engine: AsyncEngine, silent: asyncio.Event) -> None:
        for _ in range(2):
            async with asyncio.timeout(PATIENCE_SECONDS / 2), engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
                if last is None:
                    silent.set()

    async def use() -> None:
        silent = asyncio.Event()
        async with relayed(postgresql, silent, last) as port:
            engine = open_database(f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres", statement_seconds=1.0)
            reading = asyncio.create_task(read_twice(engine, silent))
            # Without a limit, the task does not even end when it is cancelled.
            ended, _ = await asyncio.wait([reading], timeout=PATIENCE_SECONDS)
        assert ended
        assert silent.is_set()
        # A new connection may run out of time too. SQLAlchemy then wraps the error.
        error = reading.exception()
        assert isinstance(getattr(error, "orig", error), TimeoutError)
        assert isinstance(engine.pool, AsyncAdaptedQueuePool)
        assert engine.pool.checkedout() == 0
        await engine.dispose()

    asyncio.run(use())


def test_a_cancelled_statement_to_a_silent_server_is_left_within_the_limit_of_a_close(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: object) -> None:
        await asyncio.Event().wait()

    # SQLAlchemy's own wait of 2 s, made so long that a test notices it without a clock.
    monkeypatch.setattr(AsyncAdapt_asyncpg_connection, "_terminate_graceful_close", never)

    async def use() -> None:
        silent = asyncio.Event()
        async with relayed(postgresql, silent, b"SELECT 'unanswered'") as port:
            engine = open_database(f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres")

            async def read() -> None:
                async with engine.connect() as connection:
                    await connection.execute(text("SELECT 'unanswered'"))

            reading = asyncio.create_task(read())
            await silent.wait()
            reading.cancel()
            ended, _ = await asyncio.wait([reading], timeout=PATIENCE_SECONDS / 3)
            reading.cancel()
        assert ended
        assert reading.cancelled()
        await engine.dispose()

    asyncio.run(use())


def test_a_statement_without_an_answer_is_unavailable(postgresql: PostgreSQL) -> None:
    """Neither a command nor a background loop of a loader waits for it without end."""

    async def use() -> None:
        silent = asyncio.Event()
        async with relayed(postgresql, silent, b"SELECT 'unanswered'") as port:
            url = f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres"
            async with opened(url, statement_seconds=1.0) as engine, engine.begin() as connection:
                await connection.execute(text("SELECT 'unanswered'"))

    async def use_within_the_limit() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await use()

    with pytest.raises(Unavailable, match="the database did not answer within 1 s; start its database"):
        asyncio.run(use_within_the_limit())


@pytest.mark.parametrize("chosen", [{}, {"statement_seconds": None}], ids=["usual", "migration"])
def test_only_statements_of_migrations_take_any_time(postgresql: PostgreSQL, chosen: dict[str, None]) -> None:
    async def limit(url: str) -> float | None:
        async with opened(url, **chosen) as engine, engine.connect() as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            assert raw is not None
            found: float | None = raw._config.command_timeout
            return found

    url = postgresql.new_database()
    try:
        assert asyncio.run(limit(url)) == chosen.get("statement_seconds", STATEMENT_SECONDS)
    finally:
        postgresql.drop_database(url)


def test_the_kernel_ends_a_connection_without_answers(postgresql: PostgreSQL) -> None:
    async def options() -> tuple[int, int]:
        async with relayed(postgresql, asyncio.Event()) as port:
            engine = open_database(f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres")
            async with engine.connect() as connection:
                raw = (await connection.get_raw_connection()).driver_connection
                assert raw is not None
                found = raw._transport.get_extra_info("socket")
                keepalive = found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                limit_ms = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        return keepalive, limit_ms

    assert asyncio.run(options()) == (1, SILENT_SECONDS * 1_000)


@pytest.mark.parametrize(
    ("name", "seconds"), [("lock_timeout", LOCK_SECONDS), ("idle_in_transaction_session_timeout", IDLE_SECONDS)]
)
def test_waits_for_locks_and_for_statements_are_limited(postgresql: PostgreSQL, name: str, seconds: int) -> None:
    async def limit(url: str) -> str:
        async with opened(url) as engine, engine.connect() as connection:
            return str(await connection.scalar(text(f"SHOW {name}")))

    url = postgresql.new_database()
    try:
        assert asyncio.run(limit(url)) == f"{seconds}s"
    finally:
        postgresql.drop_database(url)


def test_a_lock_that_is_held_is_unavailable(postgresql: PostgreSQL) -> None:
    async def wait_for_a_lock(url: str) -> None:
        async with opened(url) as engine, engine.begin() as connection:
            await connection.execute(text("CREATE TABLE held (number int)"))
        async with opened(url) as holder, holder.begin() as first:
            await first.execute(text("LOCK TABLE held"))
            async with opened(url) as engine, engine.begin() as second:
                # A short limit, so that the test needs not wait for the real one.
                await second.execute(text("SET LOCAL lock_timeout = '50ms'"))
                await second.execute(text("SELECT * FROM held"))

    url = postgresql.new_database()
    try:
        with pytest.raises(Unavailable, match=r"another session of PostgreSQL has held a lock for more than 10 s"):
            asyncio.run(wait_for_a_lock(url))
    finally:
        postgresql.drop_database(url)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_process_that_stopped_in_a_change_stops_no_other_change(control_url: str) -> None:
    async def change(url: str) -> None:
        async with opened(url) as engine, changing(engine, SystemClock(), this_user()) as made:
            await made.note("test", None)

    child = subprocess.Popen([sys.executable, "-c", STOP_IN_A_CHANGE, control_url], cwd=PACKAGES)
    try:
        _, status = os.waitpid(child.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        asyncio.run(change(control_url))
    finally:
        child.kill()
        child.wait()
