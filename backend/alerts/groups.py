"""Reads and writes the states of the groups of rules. Only pending and firing groups have a row."""

import hashlib
import json
from collections.abc import Iterable

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.alerts.repository import Rule
from backend.alerts.transitions import Group, GroupState, State
from schema.control.alert_models import AlertGroup


def group_to_json(group: Group | None) -> str:
    """Returns the stored form of a group's values. Escapes of characters outside of ASCII would take up to three times
    as many bytes."""
    return json.dumps(group, separators=(",", ":"), ensure_ascii=False)


def group_from_json(text: str) -> Group | None:
    values = json.loads(text)
    return None if values is None else tuple(values)


async def read_groups(connection: AsyncConnection, rule_id: str) -> list[GroupState]:
    """Returns the groups of a rule that are pending or firing, in a stable order."""
    rows = await connection.execute(
        select(AlertGroup.group, AlertGroup.state, AlertGroup.since_ns, AlertGroup.value, AlertGroup.is_notified)
        .where(AlertGroup.rule_id == rule_id)
        .order_by(AlertGroup.group_key)
    )
    return [
        GroupState(group_from_json(group) or (), State(state), since_ns, value, is_notified)
        for group, state, since_ns, value, is_notified in rows
    ]


async def write_groups(connection: AsyncConnection, rule: Rule, groups: Iterable[GroupState]) -> None:
    """Replaces the groups of a rule. Groups that are left out count as `ok`."""
    await connection.execute(delete(AlertGroup).where(AlertGroup.rule_id == rule.id))
    rows = [
        {
            "rule_id": rule.id,
            "group_key": hashlib.sha256(group_to_json(each.group).encode()).hexdigest(),
            "tenant_id": rule.tenant_id,
            "group": group_to_json(each.group),
            "state": str(each.state),
            "since_ns": each.since_ns,
            "value": each.value,
            "is_notified": each.is_notified,
        }
        for each in groups
    ]
    if rows:
        await connection.execute(insert(AlertGroup), rows)
