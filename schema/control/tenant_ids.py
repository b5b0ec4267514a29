"""Raises the id that the next new tenant gets, after a restored control plane has forgotten tenants."""

from typing import Final

from sqlalchemy import column as column_of
from sqlalchemy import func, insert, select, table, update
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.changes import lock_changes
from schema.control.models import TenantRow

_SEQUENCES = table("sqlite_sequence", column_of("name"), column_of("seq"))
"""SQLite's own table of the largest ids that were given."""

SKIPPED_IDS: Final = 1_000_000
"""Number of ids that no new tenant gets. A tenant that was created and erased after the backup has left no trace of its
id in the store, but Kafka may still have its messages, which a tenant with its id could read by a live tail. Ids have
32 bits, so that thousands of restores are possible."""


async def give_larger_ids(connection: AsyncConnection, largest: int) -> None:
    """Lets new tenants get ids that exceed `largest` and the last id that the control plane has given by more than
    SKIPPED_IDS.

    The transaction must not have changed anything else before.
    """
    await lock_changes(connection)
    name = TenantRow.__tablename__
    if connection.dialect.name == "postgresql":
        sequence = func.pg_get_serial_sequence(name, TenantRow.id.key)
        # PostgreSQL reads the last id only from a sequence whose name is part of the statement. So this takes the next.
        last = func.greatest(largest, func.nextval(sequence))
        await connection.execute(select(func.setval(sequence, last + SKIPPED_IDS)))
        return
    given = _SEQUENCES.c.name == name
    if await connection.scalar(select(_SEQUENCES.c.seq).where(given)) is None:  # No tenant was ever created.
        await connection.execute(insert(_SEQUENCES).values(name=name, seq=0))
    last = func.max(_SEQUENCES.c.seq, largest)
    await connection.execute(update(_SEQUENCES).where(given).values(seq=last + SKIPPED_IDS))
