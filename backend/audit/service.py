"""Reads the audit log, newest entries first."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncEngine

from schema.control.models import AuditEntry


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One change. `actor` is `key <id>` or `user@host`; it is `operator` if a tenant reads an operator's change.
    `tenant` is None for a change that concerned all tenants."""

    id: int
    at_ns: int
    action: str
    tenant: str | None
    actor: str
    actor_tenant_id: int | None
    address: str | None
    before: Mapping[str, object]
    after: Mapping[str, object]


class AuditService:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of_tenant(self, tenant_id: int, *, since_ns: int, below: int | None, limit: int) -> list[AuditRecord]:
        """Returns entries of one tenant since a time, newest first, with ids smaller than `below`."""
        return await self._read(tenant_id, None, since_ns, below, limit)

    async def of_all(self, name: str | None, *, since_ns: int, below: int | None, limit: int) -> list[AuditRecord]:
        """Returns entries of all tenants, or of tenants that had the name `name`, including deleted ones."""
        return await self._read(None, name, since_ns, below, limit)

    async def _read(
        self, tenant_id: int | None, name: str | None, since_ns: int, below: int | None, limit: int
    ) -> list[AuditRecord]:
        if name is not None and "\0" in name:  # PostgreSQL refuses the character, and no tenant has it.
            return []
        query = select(AuditEntry).where(AuditEntry.at_ns >= since_ns).order_by(AuditEntry.id.desc()).limit(limit)
        if tenant_id is not None:
            query = query.where(AuditEntry.tenant_id == tenant_id)
        if name is not None:
            query = query.where(AuditEntry.tenant == name)
        if below is not None:
            query = query.where(AuditEntry.id < below)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        # Entries may have some KB of JSON each, so they are decoded on a separate thread.
        return await asyncio.to_thread(lambda: list(map(_record, rows)))


def _record(row: Row[Any]) -> AuditRecord:
    return AuditRecord(
        id=row.id,
        at_ns=row.at_ns,
        action=row.action,
        tenant=row.tenant,
        actor=row.actor,
        actor_tenant_id=row.actor_tenant_id,
        address=row.address,
        before=json.loads(row.before),
        after=json.loads(row.after),
    )
