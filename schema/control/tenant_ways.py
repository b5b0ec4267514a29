"""Reads the number of keys in Kafka that each tenant's messages may have."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import TenantLimits
from schema.tenant_partitions import DEFAULT_WAYS, Ways


async def read_ways(connection: AsyncConnection, only: Collection[int] | None = None) -> dict[int, Ways]:
    """Returns how many keys the messages of these tenants may have in Kafka, with the number before the last change; of
    all tenants if `only` is None. Leaves out tenants whose number was never changed."""
    query = select(
        TenantLimits.tenant_id,
        TenantLimits.partitions,
        TenantLimits.partitions_before,
        TenantLimits.partitions_since_ns,
    ).where(TenantLimits.partitions_since_ns.is_not(None))
    if only is not None:
        query = query.where(TenantLimits.tenant_id.in_(only))
    return {
        tenant_id: Ways(partitions or DEFAULT_WAYS, before or DEFAULT_WAYS, since_ns or 0)
        for tenant_id, partitions, before, since_ns in await connection.execute(query)
    }
