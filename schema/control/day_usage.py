"""Bytes that each tenant sent today, counted together by all receivers of an installation."""

from collections.abc import Mapping

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import TenantDayUsage
from schema.control.upsert import upsert

KEPT_DAYS = 31


async def add_day_usage(connection: AsyncConnection, day: int, sent: Mapping[int, int]) -> None:
    """Adds bytes of each tenant to its sum of the UTC day, which is given in days since the Unix epoch."""
    # Adding in the database, so that two receivers at once lose nothing.
    statement = upsert(connection, TenantDayUsage)
    adding = statement.on_conflict_do_update(
        index_elements=[TenantDayUsage.tenant_id, TenantDayUsage.day],
        set_={"bytes": TenantDayUsage.bytes + statement.excluded.bytes},
    )
    # In one order everywhere: two receivers then never wait for each other's rows in a circle.
    rows = [{"tenant_id": tenant, "day": day, "bytes": size} for tenant, size in sorted(sent.items())]
    if rows:
        await connection.execute(adding, rows)


async def read_day_usage(connection: AsyncConnection, day: int) -> dict[int, int]:
    """Bytes of that day by tenant."""
    rows = await connection.execute(
        select(TenantDayUsage.tenant_id, TenantDayUsage.bytes).where(TenantDayUsage.day == day)
    )
    return {row.tenant_id: row.bytes for row in rows}


async def forget_day_usage(connection: AsyncConnection, today: int) -> None:
    """Drops the sums of days that are more than KEPT_DAYS old."""
    await connection.execute(delete(TenantDayUsage).where(TenantDayUsage.day < today - KEPT_DAYS))
