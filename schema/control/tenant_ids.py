"""Raises the id that the next new tenant gets, after a restored control plane has forgotten tenants."""

from sqlalchemy import column as column_of
from sqlalchemy import func, insert, select, table, update
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.changes import lock_changes
from schema.control.models import TenantRow

_SEQUENCES = table("sqlite_sequence", column_of("name"), column_of("seq"))
"""SQLite's own table of the largest ids that were given."""


async def give_larger_ids(connection: AsyncConnection, largest: int) -> None:
    """Lets new tenants get ids above `largest`, and above those of all tenants that the control plane knows.

    The transaction must not have changed anything else before.
    """
    await lock_changes(connection)
    name = TenantRow.__tablename__
    if connection.dialect.name == "postgresql":
        sequence = func.pg_get_serial_sequence(name, TenantRow.id.key)
        # PostgreSQL reads the last id only from a sequence whose name is part of the statement. So this takes the next.
        await connection.execute(select(func.setval(sequence, func.greatest(largest, func.nextval(sequence)))))
        return
    given = _SEQUENCES.c.name == name
    if await connection.scalar(select(_SEQUENCES.c.seq).where(given)) is None:  # No tenant was ever created.
        await connection.execute(insert(_SEQUENCES).values(name=name, seq=0))
    await connection.execute(update(_SEQUENCES).where(given, _SEQUENCES.c.seq < largest).values(seq=largest))
