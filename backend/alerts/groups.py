"""Reads and writes the states of the groups of rules. Only pending and firing groups have a row."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
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


async def write_groups(
    connection: AsyncConnection, rule: Rule, before: Iterable[GroupState], groups: Sequence[GroupState]
) -> None:
    """Makes `groups` the groups of a rule. `before` are its stored groups. Groups that are left out count as `ok`.

    Writes only differences, and the values of a group only once. One tenant's rules may have 50,000 groups with 4 KB
    each, and all of them may be evaluated every minute.
    """
    stored = {each.group: each for each in before}
    if left := stored.keys() - {each.group for each in groups}:
        is_left = AlertGroup.group_key.in_(map(_key, left))
        await connection.execute(delete(AlertGroup).where(AlertGroup.rule_id == rule.id, is_left))
    if changed := [each for each in groups if each.group in stored and each != stored[each.group]]:
        is_changed = (AlertGroup.rule_id == rule.id) & (AlertGroup.group_key == bindparam("changed_key"))
        rows = [{"changed_key": _key(each.group), **_state(each)} for each in changed]
        await connection.execute(update(AlertGroup).where(is_changed), rows)
    if added := [each for each in groups if each.group not in stored]:
        rows = [
            {
                "rule_id": rule.id,
                "group_key": _key(each.group),
                "tenant_id": rule.tenant_id,
                "group": group_to_json(each.group),
                **_state(each),
            }
            for each in added
        ]
        await connection.execute(insert(AlertGroup), rows)


def _key(group: Group) -> str:
    return hashlib.sha256(group_to_json(group).encode()).hexdigest()


def _state(group: GroupState) -> dict[str, Any]:
    """Returns the columns that an evaluation may change."""
    return {
        "state": str(group.state),
        "since_ns": group.since_ns,
        "value": group.value,
        "is_notified": group.is_notified,
    }
