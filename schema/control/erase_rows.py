"""Removes a deleted tenant's rows from the control plane at the end of its erasure, and lists the tables that keep
rows."""

from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import DeclarativeBase

from schema.control.alert_models import AlertEvent, AlertGroup, AlertNotice, AlertRule
from schema.control.models import (
    ApiKey,
    ApiKeyUse,
    AttributeRule,
    BodyRedaction,
    Dashboard,
    SavedView,
    TenantDayUsage,
    TenantLimits,
)
from schema.control.shard_models import TenantShard

OWNED: Final[tuple[type[DeclarativeBase], ...]] = (
    ApiKey,
    TenantLimits,
    AttributeRule,
    BodyRedaction,
    TenantDayUsage,
    TenantShard,
    SavedView,
    Dashboard,
    AlertRule,
    AlertGroup,
    AlertEvent,
    AlertNotice,
)
"""Tables from which a deleted tenant's rows are removed, in this order. Each has a column `tenant_id`.

Alert rules come before what belongs to them. Their removal waits for a worker that is storing the result of an
evaluation, and no worker can store one afterwards.
"""

KEPT: Final = {
    "tenant": "its number is never used again; its name is free",
    "tenant_cohort": "retention needs the cohorts of records that are still stored or may still arrive",
    "tenant_erasure": "it is the proof of the erasure",
    "audit_entry": "changes are recorded for as long as the audit log is kept",
}
"""Tables that keep rows of a deleted tenant, each with the reason."""


async def erase_rows(connection: AsyncConnection, tenant_id: int) -> dict[str, tuple[int, int]]:
    """Removes a tenant's rows. Returns for each table the number of rows before, and the number left in this
    transaction."""
    keys = select(ApiKey.id).where(ApiKey.tenant_id == tenant_id)
    used = await connection.execute(delete(ApiKeyUse).where(ApiKeyUse.key_id.in_(keys)))
    counts = {}
    for table in OWNED:
        owned = table.__table__.c["tenant_id"] == tenant_id
        removed = await connection.execute(delete(table).where(owned))
        left = await connection.scalar(select(func.count()).select_from(table).where(owned))
        counts[table.__tablename__] = removed.rowcount, left or 0
    return {ApiKeyUse.__tablename__: (used.rowcount, 0)} | counts
