"""Finds the rules or notices that are due, in an order that is fair between tenants."""

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.claimed_work import Places
from schema.control.alert_models import AlertNotice, AlertRule


async def due_ids(
    engine: AsyncEngine, table: type[AlertRule] | type[AlertNotice], is_due: ColumnElement[bool], places: Places
) -> list[str]:
    """Returns the ids of the rows that get a place. Tenants take turns. A tenant's rows come in the order in which they
    became due.

    Only reads, so that a poll takes no lock when nothing is due.
    """
    full = [tenant_id for tenant_id, used in places.used.items() if used >= places.of_tenant]
    rank = func.row_number().over(partition_by=table.tenant_id, order_by=table.due_ns).label("rank")
    due = select(table.id, table.tenant_id, table.due_ns, rank)
    ranked = due.where(is_due, table.tenant_id.not_in(full)).subquery()
    in_turns = select(ranked.c.id, ranked.c.tenant_id).order_by(ranked.c.rank, ranked.c.due_ns).limit(places.free)
    async with engine.connect() as connection:
        rows = await connection.execute(in_turns)
        return places.choose([(id, tenant_id) for id, tenant_id in rows])
