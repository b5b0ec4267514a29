"""Engines for the control plane's database: SQLite in the one-machine stack, PostgreSQL elsewhere."""

from pathlib import Path
from sqlite3 import Connection
from typing import Any

from asyncpg import InterfaceError, PostgresError
from sqlalchemy import Dialect, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


def open_database(url: str) -> AsyncEngine:
    """An engine for the URL of settings.control_plane_url; connects only when used."""
    engine = create_async_engine(url, pool_pre_ping=True)
    backend = make_url(url).get_backend_name()
    if backend == "postgresql":
        event.listen(engine.sync_engine, "do_connect", _connect_postgresql)
    if backend == "sqlite":
        if (file := make_url(url).database) and file != ":memory:":
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Connection, _record: Any) -> None:
    # Several processes read while one writes: WAL lets them, and a writer waits for another instead of failing.
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "busy_timeout = 5000", "foreign_keys = ON", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _connect_postgresql(dialect: Dialect, _record: Any, arguments: Any, options: Any) -> Any:
    # A server that starts, stops, or has no connection left refuses by an error of asyncpg's own, which SQLAlchemy
    # lets through while it connects. Whoever outlasts a database that is away expects SQLAlchemyError.
    try:
        return dialect.connect(*arguments, **options)
    except (PostgresError, InterfaceError) as error:
        raise OperationalError("(connecting)", None, error) from error
