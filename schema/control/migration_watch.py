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

FIRST_SECONDS: Final = 10.0
"""Longest wait for the first answer to the watch, in seconds. The migration waits meanwhile, within its transaction, so
this must be much shorter than IDLE_SECONDS of postgresql_waits.py, after which PostgreSQL would end the migration."""

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
    _awaited: tuple[object, ...] = ()
    """Process id of the session that holds the lock for which the migration waited last, and the lock."""
    _holder: str = ""
    """Words for this lock, and for the session that holds it."""
    _pid: int = 0
    """Process id of this session."""
    _is_silent: bool = field(default=False)

    async def follow(self, migration: AsyncConnection) -> None:
        """Watches the migration, whose transaction has begun, in a task of its own. Does nothing for SQLite, and if a
        second connection gets no answer within FIRST_SECONDS, for example because a pool has one connection only."""
        if migration.dialect.name != "postgresql":
            return
        session = (await migration.get_raw_connection()).driver_connection
        assert isinstance(session, Session)
        pid = await migration.scalar(text("SELECT pg_backend_pid()"))
        with suppress(DBAPIError, OSError, TimeoutError):
            async with asyncio.timeout(FIRST_SECONDS):
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
            except (DBAPIError, OSError) as error:
                # An attempt to connect that took too long is the reason of a DBAPIError.
                if isinstance(getattr(error, "orig", error), TimeoutError):
                    self._is_silent = True
                    # A cancelled statement would still wait for the server. This ends it at once.
                    session.terminate()
                    return
                # If the server is down, the migration reports that. Otherwise, the next read connects again.
                continue
            if waited is None:
                continue
            # The state of the session changes between "active" and "idle in transaction" while the session works.
            self._holder, self._pid = _words(waited), waited.pid
            if (lock := (waited.pid, waited.locktype, waited.relation)) != self._awaited:
                self._awaited = lock
                since = "" if waited.age is None else f", in a transaction that began {waited.age} ago"
                self.say(f"waiting up to {LOCK_SECONDS} s, because {self._holder}{since}")

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
