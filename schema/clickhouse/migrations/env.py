"""Runs the log store's migrations on the connection and lanes that schema.migrate hands over."""

from alembic import context
from clickhouse_connect.cc_sqlalchemy.alembic import clickhouse_writer  # noqa: F401 registers the dialect's operations


def run() -> None:
    """Applies the revisions, or prints their SQL if there is no connection."""
    connection = context.config.attributes.get("connection")
    if connection is None:
        context.configure(dialect_name="clickhousedb", literal_binds=True)
    else:
        context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()


run()
