"""Removes the rows of a deleted tenant from the control plane at the end of its erasure, and lists the kept tables."""

from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import DeclarativeBase

from schema.control.models import (
    ApiKey,
    ApiKeyUse,
    AttributeRule,
    BodyRedaction,
    TenantDayUsage,
    TenantLimits,
)

OWNED: Final[tuple[type[DeclarativeBase], ...]] = (ApiKey, TenantLimits, AttributeRule, BodyRedaction, TenantDayUsage)
"""Tables whose rows of a deleted tenant are removed. Each has a column `tenant_id`."""

KEPT: Final = {
    "tenant": "its number is never used again; its name is free",
    "tenant_cohort": "retention must know the cohort of whatever might still arrive",
    "tenant_erasure": "the proof",
    "audit_entry": "deeds stay as long as the audit log is kept",
}
"""Tables with rows of a tenant that stay, with the reason."""


async def erase_rows(connection: AsyncConnection, tenant_id: int) -> dict[str, tuple[int, int]]:
    """Removes a tenant's rows. Returns by table how many there were, and how many are left in this transaction."""
    keys = select(ApiKey.id).where(ApiKey.tenant_id == tenant_id)
    used = await connection.execute(delete(ApiKeyUse).where(ApiKeyUse.key_id.in_(keys)))
    counts = {}
    for table in OWNED:
        owned = table.__table__.c["tenant_id"] == tenant_id
        removed = await connection.execute(delete(table).where(owned))
        left = await connection.scalar(select(func.count()).select_from(table).where(owned))
        counts[table.__tablename__] = removed.rowcount, left or 0
    return {ApiKeyUse.__tablename__: (used.rowcount, 0)} | counts
