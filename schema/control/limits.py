"""What a tenant may use, as the control plane keeps it."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import TenantLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """What a tenant may send, in the whole installation; None where it has no such limit. A day is a UTC day.

    `concurrent_searches` is for each backend; None there means the setting's.
    """

    bytes_per_second: int | None = None
    records_per_second: int | None = None
    bytes_per_day: int | None = None
    concurrent_searches: int | None = None


UNLIMITED: Final = Limits()


async def read_limits(connection: AsyncConnection, tenant_id: int | None = None) -> dict[int, Limits]:
    """Limits by tenant, of one or of all; a tenant that never had any is not in it."""
    query = select(
        TenantLimits.tenant_id,
        TenantLimits.bytes_per_second,
        TenantLimits.records_per_second,
        TenantLimits.bytes_per_day,
        TenantLimits.concurrent_searches,
    )
    if tenant_id is not None:
        query = query.where(TenantLimits.tenant_id == tenant_id)
    return {found: Limits(*numbers) for found, *numbers in await connection.execute(query)}
