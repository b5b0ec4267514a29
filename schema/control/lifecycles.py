"""How long each cohort is kept, and who is to be forgotten altogether: what retention goes by."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from schema.control.models import Tenant, TenantCohort


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """`retention_days` by cohort, of every cohort a tenant ever had: the longest, should tenants' entries differ."""

    retention_days: dict[str, int]
    deleted_tenants: tuple[int, ...]


async def read_lifecycles(engine: AsyncEngine) -> Lifecycles:
    """As the control plane has them now. Raises SQLAlchemyError while it is away."""
    longest = select(TenantCohort.cohort, func.max(TenantCohort.retention_days)).group_by(TenantCohort.cohort)
    async with engine.connect() as connection:
        days = {cohort: int(kept) for cohort, kept in await connection.execute(longest)}
        deleted = await connection.scalars(select(Tenant.id).where(Tenant.deleted_at_ns.is_not(None)))
        return Lifecycles(days, tuple(sorted(deleted)))
