"""Reads and writes the control plane's rows of attribute rules. Holds a connection and never commits."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, insert, select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.attribute_rules import Rule
from schema.control.models import AttributeRule, TenantRow


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """A stored rule.

    `tenant` is None for the installation's. `action` is the stored text, which may be a newer release's.
    """

    tenant: str | None
    pattern: str
    is_prefix: bool
    action: str
    created_at_ns: int


class AttributeRuleRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def rules(self, tenant_id: int | None = None) -> list[RuleInfo]:
        """Returns all rules, or the installation's and a tenant's own: the installation's first, then by tenant, each
        ordered by pattern."""
        applies = true() if tenant_id is None else _owned_by(None) | _owned_by(tenant_id)
        rows = await self._connection.execute(
            select(
                TenantRow.name,
                AttributeRule.pattern,
                AttributeRule.is_prefix,
                AttributeRule.action,
                AttributeRule.created_at_ns,
            )
            .join(TenantRow, TenantRow.id == AttributeRule.tenant_id, isouter=True)
            .where(applies)
            .order_by(
                AttributeRule.tenant_id.is_not(None), TenantRow.name, AttributeRule.pattern, AttributeRule.is_prefix
            )
        )
        return [RuleInfo(*row) for row in rows]

    async def count(self, tenant_id: int | None) -> int:
        query = select(func.count()).select_from(AttributeRule).where(_owned_by(tenant_id))
        return await self._connection.scalar(query) or 0

    async def action(self, tenant_id: int | None, pattern: str, is_prefix: bool) -> str | None:
        """Returns the rule's action, or None if there is no such rule."""
        query = select(AttributeRule.action).where(*_same(tenant_id, pattern, is_prefix)).order_by(AttributeRule.id)
        return (await self._connection.scalars(query)).first()

    async def add(self, tenant_id: int | None, rule: Rule, now_ns: int) -> None:
        await self._connection.execute(
            insert(AttributeRule).values(
                tenant_id=tenant_id,
                pattern=rule.pattern,
                is_prefix=rule.is_prefix,
                action=rule.action,
                created_at_ns=now_ns,
            )
        )

    async def change(self, tenant_id: int | None, rule: Rule) -> None:
        await self._connection.execute(
            update(AttributeRule).where(*_same(tenant_id, rule.pattern, rule.is_prefix)).values(action=rule.action)
        )

    async def remove(self, tenant_id: int | None, pattern: str, is_prefix: bool) -> bool:
        """Removes a rule. Returns false if there was none."""
        result = await self._connection.execute(delete(AttributeRule).where(*_same(tenant_id, pattern, is_prefix)))
        return result.rowcount > 0


def _owned_by(tenant_id: int | None) -> ColumnElement[bool]:
    return AttributeRule.tenant_id.is_(None) if tenant_id is None else AttributeRule.tenant_id == tenant_id


def _same(tenant_id: int | None, pattern: str, is_prefix: bool) -> tuple[ColumnElement[bool], ...]:
    return _owned_by(tenant_id), AttributeRule.pattern == pattern, AttributeRule.is_prefix == is_prefix
