"""Reads and writes the control plane's rows of redactions. Holds a connection and never commits."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, insert, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import BodyRedaction, TenantRow
from schema.redactions import Redaction


@dataclass(frozen=True, slots=True)
class RedactionInfo:
    """A stored redaction. `tenant` is None for the installation's; `expression` is None for a built-in one."""

    tenant: str | None
    name: str
    expression: str | None
    created_at_ns: int


class RedactionRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def redactions(self, tenant_id: int | None = None) -> list[RedactionInfo]:
        """Returns all redactions, or the installation's and a tenant's own: the installation's first, then by tenant,
        each ordered by name."""
        applies = true() if tenant_id is None else _owned_by(None) | _owned_by(tenant_id)
        rows = await self._connection.execute(
            select(TenantRow.name, BodyRedaction.name, BodyRedaction.expression, BodyRedaction.created_at_ns)
            .join(TenantRow, TenantRow.id == BodyRedaction.tenant_id, isouter=True)
            .where(applies)
            .order_by(BodyRedaction.tenant_id.is_not(None), TenantRow.name, BodyRedaction.name)
        )
        return [RedactionInfo(*row) for row in rows]

    async def count(self, tenant_id: int | None) -> int:
        query = select(func.count()).select_from(BodyRedaction).where(_owned_by(tenant_id))
        return await self._connection.scalar(query) or 0

    async def find(self, tenant_id: int | None, name: str) -> Redaction | None:
        stored = await self._connection.execute(select(BodyRedaction.expression).where(*_same(tenant_id, name)))
        row = stored.first()
        return None if row is None else Redaction(name, row.expression)

    async def add(self, tenant_id: int | None, redaction: Redaction, now_ns: int) -> None:
        await self._connection.execute(
            insert(BodyRedaction).values(
                tenant_id=tenant_id, name=redaction.name, expression=redaction.expression, created_at_ns=now_ns
            )
        )

    async def remove(self, tenant_id: int | None, name: str) -> None:
        await self._connection.execute(delete(BodyRedaction).where(*_same(tenant_id, name)))


def _owned_by(tenant_id: int | None) -> ColumnElement[bool]:
    return BodyRedaction.tenant_id.is_(None) if tenant_id is None else BodyRedaction.tenant_id == tenant_id


def _same(tenant_id: int | None, name: str) -> tuple[ColumnElement[bool], ...]:
    return _owned_by(tenant_id), BodyRedaction.name == name
