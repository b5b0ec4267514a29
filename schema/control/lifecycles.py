"""Retention of each cohort in days."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from schema.control.models import TenantCohort


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """`retention_days` by cohort, for every cohort that a tenant ever had. If tenants' entries differ, the longest
    counts."""

    retention_days: dict[str, int]


async def read_lifecycles(engine: AsyncEngine) -> Lifecycles:
    """Reads the retention of all cohorts from the control plane. Raises SQLAlchemyError while it is unreachable."""
    longest = select(TenantCohort.cohort, func.max(TenantCohort.retention_days)).group_by(TenantCohort.cohort)
    async with engine.connect() as connection:
        days = {cohort: int(kept) for cohort, kept in await connection.execute(longest)}
        return Lifecycles(days)
