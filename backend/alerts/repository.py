"""Reads and writes the control plane's rows of alert rules. Holds a connection and never commits."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from backend.alerts.channels import channels_from_json, channels_to_json
from backend.alerts.content import Comparison, Condition, RuleContent, Severity
from backend.alerts.transitions import State
from schema.control.alert_models import AlertEvent, AlertGroup, AlertRule


@dataclass(frozen=True, slots=True)
class Rule:
    """A stored rule. `created_by` and `changed_by` name actors, as in the audit log.

    `detail` is the reason of state `error`. `evaluated_at_ns` is None before the first evaluation after the rule was
    created or changed.
    """

    id: str
    tenant_id: int
    content: RuleContent
    muted_until_ns: int | None
    revision: int
    created_at_ns: int
    created_by: str
    changed_at_ns: int
    changed_by: str
    due_ns: int
    state: State = State.ok
    detail: str = ""
    evaluated_at_ns: int | None = None


class AlertRuleRepository:
    """Rules of one tenant. Its methods neither find nor change rules of other tenants."""

    def __init__(self, connection: AsyncConnection, tenant_id: int) -> None:
        self._connection = connection
        self._tenant_id = tenant_id

    async def rules(self) -> list[Rule]:
        """Returns all rules by name."""
        rows = (await self._connection.execute(select(AlertRule.__table__).where(self._owned()))).mappings().all()
        # Sorted here, because each database sorts text by its own collation. On a thread, because the rules of a tenant
        # may have 20 MB.
        return await asyncio.to_thread(lambda: sorted(map(rule_of, rows), key=lambda rule: rule.content.name))

    async def count(self) -> int:
        return await self._connection.scalar(select(func.count()).select_from(AlertRule).where(self._owned())) or 0

    async def find(self, rule_id: str) -> Rule | None:
        return await self._found(select(AlertRule.__table__).where(self._is(rule_id)))

    async def find_for_change(self, rule_id: str) -> Rule | None:
        """Like `find`, but locks the rule until the transaction ends. It first waits for a worker that is storing the
        result of an evaluation. No worker can store one afterwards, so the rule's groups can be read safely."""
        return await self._found(select(AlertRule.__table__).where(self._is(rule_id)).with_for_update())

    async def _found(self, query: Select[Any]) -> Rule | None:
        row = (await self._connection.execute(query)).mappings().first()
        return None if row is None else rule_of(row)

    async def named(self, name: str) -> str | None:
        """Returns the id of the rule of that name, or None."""
        return await self._connection.scalar(select(AlertRule.id).where(self._owned(), AlertRule.name == name))

    async def add(self, rule: Rule) -> None:
        await self._connection.execute(
            insert(AlertRule).values(
                id=rule.id,
                tenant_id=self._tenant_id,
                created_at_ns=rule.created_at_ns,
                created_by=rule.created_by,
                **_saved(rule),
            )
        )

    async def change(self, rule: Rule) -> None:
        """Writes the rule. A worker that is evaluating the rule can no longer store its result."""
        await self._connection.execute(update(AlertRule).where(self._is(rule.id)).values(**_saved(rule)))

    async def remove(self, rule_id: str) -> None:
        """Removes the rule with its groups and its history, but not its notices."""
        for table in (AlertGroup, AlertEvent):
            columns = table.__table__.c
            await self._connection.execute(
                delete(table).where(columns.tenant_id == self._tenant_id, columns.rule_id == rule_id)
            )
        await self._connection.execute(delete(AlertRule).where(self._is(rule_id)))

    def _owned(self) -> ColumnElement[bool]:
        return AlertRule.tenant_id == self._tenant_id

    def _is(self, rule_id: str) -> ColumnElement[bool]:
        return self._owned() & (AlertRule.id == rule_id)


def rule_of(row: RowMapping | Mapping[str, Any]) -> Rule:
    """Returns the rule that a row describes."""
    content = RuleContent(
        name=row["name"],
        query=row["query"],
        range_seconds=row["range_seconds"],
        interval_seconds=row["interval_seconds"],
        condition=Condition(row["condition_column"], Comparison(row["comparison"]), row["threshold"]),
        for_seconds=row["for_seconds"],
        severity=Severity(row["severity"]),
        labels=json.loads(row["labels"]),
        channels=channels_from_json(row["channels"]),
    )
    return Rule(
        row["id"],
        row["tenant_id"],
        content,
        row["muted_until_ns"],
        row["revision"],
        row["created_at_ns"],
        row["created_by"],
        row["changed_at_ns"],
        row["changed_by"],
        row["due_ns"],
        State(row["state"]),
        row["detail"],
        row["evaluated_at_ns"],
    )


def _saved(rule: Rule) -> dict[str, Any]:
    """Returns the columns that each save writes. They include the claim, so that a running evaluation loses it."""
    content = rule.content
    return {
        "name": content.name,
        "query": content.query,
        "range_seconds": content.range_seconds,
        "interval_seconds": content.interval_seconds,
        "condition_column": content.condition.column,
        "comparison": str(content.condition.comparison),
        "threshold": content.condition.threshold,
        "for_seconds": content.for_seconds,
        "severity": str(content.severity),
        "labels": json.dumps(content.labels, separators=(",", ":")),
        "channels": channels_to_json(content.channels),
        "muted_until_ns": rule.muted_until_ns,
        "revision": rule.revision,
        "changed_at_ns": rule.changed_at_ns,
        "changed_by": rule.changed_by,
        "state": str(rule.state),
        "detail": rule.detail,
        "evaluated_at_ns": rule.evaluated_at_ns,
        "due_ns": rule.due_ns,
        "claim": None,
        "claimed_until_ns": 0,
    }
