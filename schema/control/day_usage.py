"""Bytes that each tenant sent on the current UTC day, summed over all receivers of an installation."""

from collections.abc import Mapping
from datetime import UTC

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.clock import DAY_NS
from schema.control.models import TenantDayUsage, TenantRow
from schema.control.upsert import upsert

KEPT_DAYS = 31
"""Days for which the sums are kept."""


async def add_day_usage(connection: AsyncConnection, day: int, sent: Mapping[int, int]) -> None:
    """Adds each tenant's bytes to its sum of a UTC day, given in days since the Unix epoch.

    Leaves out tenants that the control plane does not have, as after an older backup of it was restored.
    """
    if not sent:
        return
    known = sent.keys() & set(await connection.scalars(select(TenantRow.id)))
    # The database adds, so that concurrent receivers lose nothing.
    statement = upsert(connection, TenantDayUsage)
    adding = statement.on_conflict_do_update(
        index_elements=[TenantDayUsage.tenant_id, TenantDayUsage.day],
        set_={"bytes": TenantDayUsage.bytes + statement.excluded.bytes},
    )
    # All receivers use the same order, so that two of them never deadlock.
    rows = [{"tenant_id": tenant, "day": day, "bytes": sent[tenant]} for tenant in sorted(known)]
    if rows:
        await connection.execute(adding, rows)


async def read_day_usage(connection: AsyncConnection, day: int) -> dict[int, int]:
    """Returns each tenant's bytes of that day."""
    rows = await connection.execute(
        select(TenantDayUsage.tenant_id, TenantDayUsage.bytes).where(TenantDayUsage.day == day)
    )
    return {row.tenant_id: row.bytes for row in rows}


async def forget_day_usage(connection: AsyncConnection, today: int) -> None:
    """Deletes the sums of days that are more than KEPT_DAYS old.

    `today` is the caller's UTC day. If the caller's clock is ahead, the day of the database counts, so that the sums of
    the present day are kept.
    """
    first = min(today, await _database_day(connection)) - KEPT_DAYS
    await connection.execute(delete(TenantDayUsage).where(TenantDayUsage.day < first))


async def _database_day(connection: AsyncConnection) -> int:
    """Returns the UTC day by the clock of the database."""
    now = (await connection.execute(select(func.current_timestamp()))).scalar_one()
    # SQLite returns UTC without a time zone.
    return int(now.replace(tzinfo=now.tzinfo or UTC).timestamp() * 10**9 // DAY_NS)
