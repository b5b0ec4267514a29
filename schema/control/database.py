"""Engines for the control plane's database: SQLite in the one-machine stack, PostgreSQL elsewhere."""

import inspect
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import asyncpg
from asyncpg import DataError as RefusedValue
from asyncpg import InterfaceError, LockNotAvailableError, PostgresError, UndefinedColumnError, UndefinedTableError
from sqlalchemy import Dialect, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from kit.errors import InvalidRequest, Unavailable
from kit.refused_connection import POSTGRESQL, certificate_refusal
from schema.control.postgresql_tls import PARAMETERS, without_tls
from schema.control.postgresql_waits import LOCK_SECONDS, STATEMENT_SECONDS, close, limit_waits, terminate

_OF_SQLALCHEMY: Final = ("prepared_statement_cache_size", "prepared_statement_name_func", "async_fallback")
"""Parameters of the URL that SQLAlchemy itself takes for asyncpg."""
BUSY_SECONDS: Final = 5
"""Longest wait of a statement for a lock of SQLite's file, in seconds."""


@asynccontextmanager
async def opened(url: str, statement_seconds: float | None = STATEMENT_SECONDS) -> AsyncIterator[AsyncEngine]:
    """Yields an engine for one task and closes it afterwards. `statement_seconds` is that of `open_database`.

    Raises Unavailable when the database does not answer or was not migrated; its text says what to do. Raises what
    `open_database` raises.
    """
    engine = open_database(url, statement_seconds)
    try:
        with failures_as_unavailable(statement_seconds or STATEMENT_SECONDS):
            yield engine
    finally:
        await engine.dispose()


@contextmanager
def failures_as_unavailable(seconds: float) -> Iterator[None]:
    """Raises Unavailable if the database does not answer within the block, or was not migrated. Its text says what to
    do. `seconds` is the limit of the block, or of its statements."""
    try:
        yield
    except (DBAPIError, TimeoutError) as error:
        if is_refusal(error):
            raise
        raise unavailable(error, seconds) from error


def reason_of(error: Exception, seconds: float) -> str:
    """Returns one line that says why the database failed. `seconds` is the limit that the error is about if it is a
    TimeoutError, which has no text of its own."""
    reason = _reason(error)
    if isinstance(reason, TimeoutError) and not str(reason):
        return f"the database did not answer within {seconds:g} s"
    return str(reason).split("\n")[0] or type(reason).__name__


def _reason(error: Exception) -> object:
    """Returns the error of asyncpg or SQLite that SQLAlchemy wrapped, or the error itself. The text of SQLAlchemy's
    error also has the statement."""
    return getattr(error.orig, "__cause__", None) or error.orig if isinstance(error, DBAPIError) else error


def is_refusal(error: Exception) -> bool:
    """Returns whether the database works and refused the values of a statement, which is a bug in Logsieve."""
    # SQLAlchemy has no class of its own for asyncpg's errors about values, such as a NUL in a text.
    refused = isinstance(error, DBAPIError) and isinstance(getattr(error.orig, "__cause__", None), RefusedValue)
    return refused or isinstance(error, (IntegrityError, DataError))


def open_database(url: str, statement_seconds: float | None = STATEMENT_SECONDS) -> AsyncEngine:
    """Returns an engine for the URL of settings.control_plane_url. It connects at its first use, and may raise
    SQLAlchemyError then.

    Statements raise TimeoutError if PostgreSQL does not answer within `statement_seconds`. None is no limit, for
    migrations; only the wait for a connection is then limited, to STATEMENT_SECONDS.

    Raises InvalidRequest for a URL that cannot be read, and for one whose TLS options PostgreSQL does not have.
    """
    try:
        parsed = make_url(url)
    except (SQLAlchemyError, ValueError) as error:
        # SQLAlchemy's text may have a part of the password.
        raise InvalidRequest(
            "LOGSIEVE_CONTROL_URL cannot be read: write it as postgresql+asyncpg://user:password@host:5432/database,"
            " and percent-encode characters of user and password that have a meaning in URLs, such as @ and /"
        ) from error
    backend = parsed.get_backend_name()
    options: dict[str, Any] = {}
    if backend == "postgresql":
        parsed, options = without_tls(parsed)
        _require_known_parameters(parsed)
        options |= {"timeout": statement_seconds or STATEMENT_SECONDS, "command_timeout": statement_seconds}
    # SQLite drops no connections, and a test of the connection would take a third of the time of a read.
    engine = create_async_engine(
        parsed,
        pool_pre_ping=backend == "postgresql",
        connect_args=options,
        # Errors are logged. Parameters of statements contain secrets of alert channels, hashes of keys, and queries.
        hide_parameters=True,
    )
    if backend == "postgresql":
        event.listen(engine.sync_engine, "do_connect", _connect_postgresql)
        # SQLAlchemy has no events that replace its own ways to close an unused and a broken connection.
        engine.dialect.do_close = close  # type: ignore[method-assign]
        engine.dialect.do_terminate = terminate  # type: ignore[method-assign]
    if backend == "sqlite":
        if (file := parsed.database) and file != ":memory:":
            # If the folder cannot be made, SQLite reports that when it connects. The file holds hashes of keys, so only
            # its owner may read it. SQLite gives the same permissions to the files that it puts beside it.
            with suppress(OSError):
                Path(file).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                Path(file).touch(mode=0o600)
        event.listen(engine.sync_engine, "do_connect", _open_sqlite)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _require_known_parameters(url: URL) -> None:
    """Raises InvalidRequest for a parameter that asyncpg would refuse at every connection, such as a misspelt one."""
    known = {*inspect.signature(asyncpg.connect).parameters, *_OF_SQLALCHEMY}
    if unknown := [name for name in url.query if name not in known]:
        raise InvalidRequest(
            f"LOGSIEVE_CONTROL_URL has the parameter {unknown[0]!r}, which asyncpg does not know: correct or remove it."
            f" For TLS, use {', '.join(PARAMETERS)}"
        )


def _open_sqlite(_dialect: Dialect, _record: Any, arguments: Any, options: Any) -> None:
    # If aiosqlite cannot open a file, it leaves a thread behind that reports to an event loop which may be closed.
    sqlite3.connect(arguments[0], uri=bool(options.get("uri"))).close()


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # Several processes read while one writes. WAL allows that, and a second writer waits instead of failing.
    cursor = connection.cursor()
    busy = f"busy_timeout = {BUSY_SECONDS * 1_000}"
    for pragma in ("journal_mode = WAL", busy, "foreign_keys = ON", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _connect_postgresql(dialect: Dialect, _record: Any, arguments: Any, options: Any) -> Any:
    # An unreachable server raises OSError. A server that starts, stops or has no free connection raises asyncpg's own
    # errors. SQLAlchemy does not wrap either of them while it connects, but callers that retry expect SQLAlchemyError.
    try:
        connection = dialect.connect(*arguments, **options)
        connection.run_async(limit_waits)
    except (PostgresError, InterfaceError, OSError) as error:
        raise OperationalError("(connecting)", None, error) from error
    return connection


def unavailable(error: DBAPIError | TimeoutError, seconds: float) -> Unavailable:
    """Returns the error for an operator: why the database failed, and what to do. `seconds` is that of `reason_of`."""
    if refused := certificate_refusal(error, POSTGRESQL):
        return Unavailable(f"the control plane cannot be used: {refused}")
    reason, sentence = _reason(error), reason_of(error, seconds)
    # SQLite has no error classes for these cases, only texts.
    if isinstance(reason, UndefinedTableError | UndefinedColumnError) or sentence.startswith("no such "):
        return Unavailable(f"the control plane was not migrated: {sentence}; run `logsieve migrate`")
    if isinstance(reason, LockNotAvailableError):
        return Unavailable(
            f"the control plane cannot be used: another session of PostgreSQL has held a lock for more than"
            f" {LOCK_SECONDS} s; find it in pg_stat_activity, end it by pg_terminate_backend if nobody needs it, then"
            " try again"
        )
    if sentence == "database is locked":
        return Unavailable(
            f"the control plane cannot be used: another process has locked its file for more than {BUSY_SECONDS} s;"
            " wait until that process has finished, or end it, then try again"
        )
    return Unavailable(
        f"the control plane cannot be used: {sentence}; start its database, or correct LOGSIEVE_CONTROL_URL"
    )
