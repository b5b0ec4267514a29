"""Runs the control plane's migrations on the connection that schema.migrate hands over."""

from alembic import context

from schema.control.metadata import METADATA


def run() -> None:
    """Applies the revisions, or prints their SQL if there is no connection."""
    connection = context.config.attributes.get("connection")
    if connection is None:
        context.configure(
            dialect_name=context.config.attributes["dialect"], target_metadata=METADATA, literal_binds=True
        )
    else:
        context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


run()
