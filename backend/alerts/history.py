"""Writes and reads the history of alert rules: their changes of state. Each rule keeps its newest events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.alerts.groups import group_from_json, group_to_json
from backend.alerts.rules import Rule, RuleRepository
from backend.alerts.transitions import Event, State
from schema.control.alert_models import AlertEvent

MAX_EVENTS: Final = 1000
"""Largest number of events that a rule keeps."""
MAX_TENANT_EVENTS: Final = 100_000
"""Number of events that the rules of a tenant share evenly. With 500 rules, each keeps 200, as many as an answer shows.
An event has up to 4 KB, so that MAX_EVENTS alone would allow a tenant 2 GB."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event, and the time of the evaluation that caused it, in nanoseconds since the Unix epoch."""

    at_ns: int
    event: Event


async def add_events(connection: AsyncConnection, rule: Rule, events: Sequence[Event], at_ns: int) -> None:
    """Adds events, and removes the oldest events of the rule if it has more than MAX_EVENTS, or more than its share of
    MAX_TENANT_EVENTS.

    If the tenant gets further rules, a rule keeps its former share until its next event.
    """
    if not events:
        return
    await connection.execute(
        insert(AlertEvent),
        [
            {
                "tenant_id": rule.tenant_id,
                "rule_id": rule.id,
                "at_ns": at_ns,
                "group": group_to_json(each.group),
                "before": str(each.before),
                "after": str(each.after),
                "value": each.value,
                "detail": each.detail,
            }
            for each in events
        ],
    )
    newest_first = select(AlertEvent.id).where(AlertEvent.rule_id == rule.id).order_by(AlertEvent.id.desc())
    rules = await RuleRepository(connection, rule.tenant_id).count()
    kept = min(MAX_EVENTS, MAX_TENANT_EVENTS // max(rules, 1))
    newest_removed = newest_first.offset(kept).limit(1).scalar_subquery()
    await connection.execute(delete(AlertEvent).where(AlertEvent.rule_id == rule.id, AlertEvent.id <= newest_removed))


async def read_events(connection: AsyncConnection, tenant_id: int, rule_id: str, limit: int) -> list[PastEvent]:
    """Returns the newest events of a tenant's rule, newest first."""
    rows = await connection.execute(
        select(
            AlertEvent.at_ns,
            AlertEvent.group,
            AlertEvent.before,
            AlertEvent.after,
            AlertEvent.value,
            AlertEvent.detail,
        )
        .where(AlertEvent.tenant_id == tenant_id, AlertEvent.rule_id == rule_id)
        .order_by(AlertEvent.id.desc())
        .limit(limit)
    )
    return [
        PastEvent(at_ns, Event(group_from_json(group), State(before), State(after), value, detail))
        for at_ns, group, before, after, value, detail in rows
    ]
