"""Removes entries of the audit log that are past its retention."""

from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.clock import DAY_NS
from schema.control.models import AuditEntry

STEP_ENTRIES: Final = 10_000
"""Largest number of entries that one transaction removes. Bounds the time of its statement, and the time for which
SQLite refuses other changes."""


async def forget_audit(engine: AsyncEngine, now_ns: int, days: int, *, dry_run: bool) -> int:
    """Removes entries that are more than `days` days old and returns their number. With `dry_run`, only counts them.

    Raises SQLAlchemyError while the control plane is unreachable.
    """
    old = AuditEntry.at_ns < now_ns - days * DAY_NS
    if dry_run:
        async with engine.connect() as connection:
            return await connection.scalar(select(func.count()).select_from(AuditEntry).where(old)) or 0
    step = select(AuditEntry.id).where(old).order_by(AuditEntry.at_ns).limit(STEP_ENTRIES).scalar_subquery()
    removed = 0
    while True:
        async with engine.begin() as connection:
            found = (await connection.execute(delete(AuditEntry).where(AuditEntry.id.in_(step)))).rowcount
        removed += found
        if found < STEP_ENTRIES:
            return removed
