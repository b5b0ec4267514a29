"""Days that each cohort is kept, for retention."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from schema.control.models import TenantCohort


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """`retention_days` by cohort, of every cohort a tenant ever had: the longest, should tenants' entries differ."""

    retention_days: dict[str, int]


async def read_lifecycles(engine: AsyncEngine) -> Lifecycles:
    """Reads the current lifecycles from the control plane. Raises SQLAlchemyError while it is away."""
    longest = select(TenantCohort.cohort, func.max(TenantCohort.retention_days)).group_by(TenantCohort.cohort)
    async with engine.connect() as connection:
        days = {cohort: int(kept) for cohort, kept in await connection.execute(longest)}
        return Lifecycles(days)
