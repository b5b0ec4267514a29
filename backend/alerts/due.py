"""Finds the rules or notices that are due, in an order that is fair between tenants."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from sqlalchemy import BigInteger, BindParameter, ColumnElement, Select, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import InstrumentedAttribute

from backend.alerts.claimed_work import FreeSlots
from kit.clock import CLOCKS_APART_NS
from schema.control.alert_models import AlertNotice, AlertRule
from schema.control.models import TenantRow

NOW: Final[BindParameter[int]] = bindparam("now_ns", type_=BigInteger)
"""Time of the poll in conditions of `select_due`, in nanoseconds since the Unix epoch."""

LIVE: Final = select(TenantRow.id).where(TenantRow.deleted_at_ns.is_(None))
"""Ids of the tenants whose rules and notices may be claimed. Those of a deleted tenant stay until its erasure ends."""

SelectDue: TypeAlias = Select[str, int]
"""Statement that finds the ids and tenants of due rows."""


def has_passed(time_ns: InstrumentedAttribute[int], longest_seconds: float) -> ColumnElement[bool]:
    """Returns the condition that a stored time has passed at NOW.

    `longest_seconds` is the longest time by which a worker sets it ahead. A time that is further ahead by more than
    CLOCKS_APART was written while a clock was wrong, and counts as passed. An index on the time finds both kinds.
    """
    return (time_ns <= NOW) | (time_ns > NOW + (round(longest_seconds * 1e9) + CLOCKS_APART_NS))


def select_due(table: type[AlertRule] | type[AlertNotice], is_due: ColumnElement[bool]) -> SelectDue:
    """Returns the statement for `due_ids`. Make it once: a worker polls twice a second, and making the statement
    took more time than running it. `is_due` is the condition for rows that are due at NOW."""
    rank = func.row_number().over(partition_by=table.tenant_id, order_by=table.due_ns).label("rank")
    due = select(table.id, table.tenant_id, table.due_ns, rank)
    ranked = due.where(is_due, table.tenant_id.not_in(bindparam("full", expanding=True))).subquery()
    in_turns = select(ranked.c.id, ranked.c.tenant_id).order_by(ranked.c.rank, ranked.c.due_ns)
    return in_turns.limit(bindparam("candidates"))


async def due_ids(
    engine: AsyncEngine, statement: SelectDue, parameters: Mapping[str, Any], slots: FreeSlots
) -> list[str]:
    """Returns the ids of the rows that get a slot. Tenants take turns, those with the fewest used slots first.

    A tenant's rows come in the order of their times. Times in the future, which a clock that was ahead has set, come
    last. `parameters` are the values that the condition of `select_due` needs, such as NOW.

    Only reads, so that a poll takes no lock when nothing is due.
    """
    full = [tenant_id for tenant_id, used in slots.used.items() if used >= slots.of_tenant]
    async with engine.connect() as connection:
        rows = await connection.execute(statement, {**parameters, "full": full, "candidates": slots.candidates})
        return slots.choose([(id, tenant_id) for id, tenant_id in rows])
