"""INSERT … ON CONFLICT for SQLite and PostgreSQL.

If two processes write the same row, this one statement decides the order.
"""

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import DeclarativeBase


def upsert(connection: AsyncConnection, table: type[DeclarativeBase]) -> postgresql.Insert | sqlite.Insert:
    """Returns an INSERT into the table that has `on_conflict_do_update`. SQLAlchemy has it only per dialect."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(table)
