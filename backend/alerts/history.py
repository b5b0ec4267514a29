"""Writes and reads the history of alert rules: their changes of state. Each rule keeps its newest events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Delete, Select, delete, exists, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.orm import InstrumentedAttribute

from backend.alerts.control_plane import answering
from backend.alerts.groups import group_from_json, group_to_json
from backend.alerts.repository import AlertRuleRepository, Rule
from backend.alerts.transitions import Event, State
from schema.control.alert_models import AlertEvent, AlertRule

MAX_EVENTS: Final = 1000
"""Largest number of events that a rule keeps."""
MAX_TENANT_EVENTS: Final = 100_000
"""Largest number of events that the rules of a tenant keep together. Each rule keeps an equal share. With 500 rules,
the share is 200 events, as many as an answer shows. An event has up to 4 KB, so MAX_EVENTS alone would allow a tenant 2
GB. A tenant that gets further rules may have more events until the next `trim_histories`."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event, and the time of the evaluation that caused it, in nanoseconds since the Unix epoch."""

    at_ns: int
    event: Event


async def add_events(connection: AsyncConnection, rule: Rule, events: Sequence[Event], at_ns: int) -> None:
    """Adds events, and removes the oldest events of the rule if it has more than MAX_EVENTS, or more than its share of
    MAX_TENANT_EVENTS.

    If the tenant gets further rules, a rule keeps its former share until its next event or until `trim_histories`.
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
    kept = _share(await AlertRuleRepository(connection, rule.tenant_id).count())
    await connection.execute(_delete_beyond(rule.id, kept))


async def trim_histories(engine: AsyncEngine) -> None:
    """Removes the oldest events of each rule that has more than its share of MAX_TENANT_EVENTS. A rule without new
    events has more after its tenant got further rules, or after an upgrade from a release that kept more.

    Raises Unavailable if the control plane fails, or if one of the transactions is not answered.
    """
    # Other tenants have the share MAX_EVENTS, to which each new event trims its rule.
    has_many_rules = func.count() * MAX_EVENTS > MAX_TENANT_EVENTS
    with_many = select(AlertRule.tenant_id, func.count()).group_by(AlertRule.tenant_id).having(has_many_rules)
    async with answering(), engine.connect() as connection:
        tenants = [(tenant_id, rules) for tenant_id, rules in await connection.execute(with_many)]
    for tenant_id, rules in tenants:
        kept = _share(rules)
        is_over = exists(_newest_beyond(AlertRule.id, kept).correlate(AlertRule))
        async with answering(), engine.connect() as connection:
            found = await connection.scalars(select(AlertRule.id).where(AlertRule.tenant_id == tenant_id, is_over))
            over = found.all()
        for rule_id in over:
            # A transaction for each rule, so that other writers need not wait for all of them.
            async with answering(), engine.begin() as connection:
                # Workers that store a result also lock the rule first. Otherwise, both could wait for each other.
                await connection.execute(select(AlertRule.id).where(AlertRule.id == rule_id).with_for_update())
                await connection.execute(_delete_beyond(rule_id, kept))


def _share(rules: int) -> int:
    """Returns the number of events that each rule keeps if its tenant has this number of rules."""
    return min(MAX_EVENTS, MAX_TENANT_EVENTS // max(rules, 1))


def _newest_beyond(rule_id: str | InstrumentedAttribute[str], kept: int) -> Select[int]:
    """Returns the statement for the id of the newest event that a rule does not keep."""
    newest_first = select(AlertEvent.id).where(AlertEvent.rule_id == rule_id).order_by(AlertEvent.id.desc())
    return newest_first.offset(kept).limit(1)


def _delete_beyond(rule_id: str, kept: int) -> Delete:
    newest_removed = _newest_beyond(rule_id, kept).scalar_subquery()
    return delete(AlertEvent).where(AlertEvent.rule_id == rule_id, AlertEvent.id <= newest_removed)


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
