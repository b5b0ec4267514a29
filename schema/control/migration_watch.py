"""Watches a migration of a control plane in PostgreSQL: says which lock it waits for, and ends it if PostgreSQL is
silent.

Statements of migrations have no limit, so without a watch a server that stopped answering would keep them for ever.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from asyncpg import Connection as Session
from asyncpg import LockNotAvailableError
from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kit.errors import Unavailable
from schema.control.database import open_database
from schema.control.postgresql_waits import LOCK_SECONDS, STATEMENT_SECONDS

POLL_SECONDS: Final = 1.0
"""Seconds between two reads of the locks that a migration waits for. Shorter waits are not reported."""

_WAITS: Final = text(
    "SELECT waiting.locktype, waiting.relation::regclass::text AS relation, holder.pid, activity.usename,"
    " activity.application_name, activity.state, date_trunc('second', clock_timestamp() - activity.xact_start) AS age"
    " FROM pg_locks AS waiting CROSS JOIN unnest(pg_blocking_pids(waiting.pid)) AS holder (pid)"
    " LEFT JOIN pg_stat_activity AS activity ON activity.pid = holder.pid"
    " WHERE waiting.pid = :pid AND NOT waiting.granted ORDER BY holder.pid LIMIT 1"
)


@dataclass(slots=True)
class MigrationWatch:
    """The watch over one migration. `say` receives a sentence for each lock that the migration waits for."""

    say: Callable[[str], None]
    seconds: float
    """Longest wait for an answer of PostgreSQL, in seconds. After it, the migration is ended."""
    _engine: AsyncEngine
    _task: asyncio.Task[None] | None = None
    _holder: str = ""
    """Words for the lock that the migration waited for last, and for the session that holds it."""
    _pid: int = 0
    """Process id of the session that holds this lock."""
    _is_silent: bool = field(default=False)

    async def follow(self, migration: AsyncConnection) -> None:
        """Watches the migration, whose transaction has begun, in a task of its own. Does nothing for SQLite, and if a
        second connection gets no answer, for example because a pool has one connection only."""
        if migration.dialect.name != "postgresql":
            return
        session = (await migration.get_raw_connection()).driver_connection
        assert isinstance(session, Session)
        pid = await migration.scalar(text("SELECT pg_backend_pid()"))
        with suppress(DBAPIError, OSError, TimeoutError):
            await self._read(pid)
            self._task = asyncio.create_task(self._watch(session, pid))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._engine.dispose()

    def failure(self, error: DBAPIError) -> Unavailable | None:
        """Returns the error for an operator if the watch knows why the migration failed with `error`."""
        if self._is_silent:
            return Unavailable(
                f"PostgreSQL has not answered for {self.seconds:g} s, so the migration of the control plane was ended:"
                " continue or restart the server, then run `logsieve migrate` again"
            )
        if self._holder and isinstance(getattr(error.orig, "__cause__", None), LockNotAvailableError):
            return Unavailable(
                f"the control plane was not migrated, because {self._holder} for more than {LOCK_SECONDS} s: end this"
                f" session, for example by `SELECT pg_terminate_backend({self._pid})`, or wait for its end; then run"
                " `logsieve migrate` again"
            )
        return None

    async def _watch(self, session: Session, pid: int) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                waited = await self._read(pid)
            except TimeoutError:
                self._is_silent = True
                # A cancelled statement would still wait for the server. This ends it at once.
                session.terminate()
                return
            except (DBAPIError, OSError):
                # The migration uses the same server, and reports its error.
                return
            if waited is not None and (holder := _words(waited)) != self._holder:
                self._holder, self._pid = holder, waited.pid
                since = "" if waited.age is None else f", in a transaction that began {waited.age} ago"
                self.say(f"waiting up to {LOCK_SECONDS} s, because {holder}{since}")

    async def _read(self, pid: int) -> Row[tuple[object, ...]] | None:
        async with self._engine.connect() as connection:
            return (await connection.execute(_WAITS, {"pid": pid})).first()


@asynccontextmanager
async def watching(url: str, say: Callable[[str], None]) -> AsyncIterator[MigrationWatch]:
    """Yields a watch for the migration within the block. `url` is that of the control plane.

    Raises Unavailable instead of an error of the block whose reason the watch knows.
    """
    seconds = STATEMENT_SECONDS
    watch = MigrationWatch(say, seconds, open_database(url, seconds))
    try:
        yield watch
    except DBAPIError as error:
        if (failure := watch.failure(error)) is None:
            raise
        raise failure from error
    finally:
        await watch.stop()


def _words(waited: Row[tuple[object, ...]]) -> str:
    """Returns words for the session that holds a lock, and for the lock."""
    about = [f"user {waited.usename}"] if waited.usename else []
    about += [f"application {waited.application_name}"] if waited.application_name else []
    about += [str(waited.state)] if waited.state else []
    session = f"PostgreSQL session {waited.pid}" + (f" ({', '.join(about)})" if about else "")
    if waited.locktype == "advisory":
        return f"{session} migrates the control plane"
    return f"{session} holds the lock of {f'table {waited.relation}' if waited.relation else 'a row'}"
