"""Reads and writes the control plane's rows of tenants. Holds a connection and never commits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.errors import NotFound
from schema.control.limits import NOTHING_STORED, UNLIMITED, Limits, StoredLimits, read_limits
from schema.control.models import ApiKey, Lane, TenantLimits, TenantRow
from schema.control.tenant_lanes import PlacedSince, begun, last_lane, place, read_placed
from schema.control.tenant_ways import read_ways
from schema.control.upsert import upsert
from schema.tenant_partitions import DEFAULT_WAYS, UNCHANGED

NAME: Final = re.compile(r"[a-z_][a-z0-9_-]{0,62}")
"""Pattern of a tenant's name."""


@dataclass(frozen=True, slots=True)
class TenantInfo:
    """A tenant with its settings and limits.

    `lane`, `cohort` and `retention_days` are those that were set last. Records that arrive now go to `cohort_in_force`.
    """

    id: int
    name: str
    lane: int
    cohort: str
    cohort_in_force: str
    retention_days: int
    body_max_bytes: int
    created_at_ns: int
    limits: Limits = UNLIMITED


class TenantRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lanes(self) -> Sequence[int]:
        return (await self._connection.scalars(select(Lane.number).order_by(Lane.number))).all()

    async def add_tenant(self, name: str, lane: int, body_max_bytes: int, now_ns: int) -> int:
        result = await self._connection.execute(
            insert(TenantRow).values(name=name, lane=lane, body_max_bytes=body_max_bytes, created_at_ns=now_ns)
        )
        tenant_id = result.inserted_primary_key
        assert tenant_id is not None, "the tenant table has a primary key"
        return int(tenant_id[0])

    async def set_body_max_bytes(self, tenant_id: int, body_max_bytes: int) -> bool:
        """Returns false, and writes nothing, if the tenant has this value."""
        differs = TenantRow.id == tenant_id, TenantRow.body_max_bytes != body_max_bytes
        query = update(TenantRow).where(*differs).values(body_max_bytes=body_max_bytes)
        return (await self._connection.execute(query)).rowcount > 0

    async def place(self, tenant_id: int, placed: PlacedSince) -> None:
        """Sends the tenant's records to another cohort, and to another lane if one is given, from `since_ns` on."""
        await place(self._connection, tenant_id, placed)

    async def last_place(self, tenant_id: int) -> PlacedSince:
        """Returns the cohort, retention and lane that were set last, even if they are not in force yet."""
        placed = (await read_placed(self._connection, (tenant_id,)))[tenant_id]
        query = select(TenantRow.lane).where(TenantRow.id == tenant_id)
        first = (await self._connection.scalars(query)).one()
        return placed[-1]._replace(lane=last_lane(first, placed))

    async def delete_tenant(self, tenant_id: int, now_ns: int) -> None:
        """Deletes a tenant: frees its name and revokes its keys."""
        await self._connection.execute(
            update(TenantRow).where(TenantRow.id == tenant_id).values(name=f"#{tenant_id}", deleted_at_ns=now_ns)
        )
        await self._connection.execute(
            update(ApiKey)
            .where(ApiKey.tenant_id == tenant_id, ApiKey.revoked_at_ns.is_(None))
            .values(revoked_at_ns=now_ns)
        )

    async def tenants(self, now_ns: int, defaults: Limits, name: str | None = None) -> list[TenantInfo]:
        """Returns all tenants by name, or only the tenant `name`, each with the cohort in force at `now_ns`. `defaults`
        are the limits of tenants without limits of their own."""
        query = select(
            TenantRow.id, TenantRow.name, TenantRow.lane, TenantRow.body_max_bytes, TenantRow.created_at_ns
        ).where(TenantRow.deleted_at_ns.is_(None))
        if name is not None:
            if not NAME.fullmatch(name):  # PostgreSQL accepts no text with a NUL.
                return []
            query = query.where(TenantRow.name == name)
        rows = (await self._connection.execute(query.order_by(TenantRow.name))).all()
        only = None if name is None else [row.id for row in rows]
        limits, placed = await read_limits(self._connection, only), await read_placed(self._connection, only)
        return [
            TenantInfo(
                id=row.id,
                name=row.name,
                lane=last_lane(row.lane, placed[row.id]),
                cohort=placed[row.id][-1].cohort,
                cohort_in_force=begun(now_ns, placed[row.id])[-1].cohort,
                retention_days=placed[row.id][-1].retention_days,
                body_max_bytes=row.body_max_bytes,
                created_at_ns=row.created_at_ns,
                limits=limits.get(row.id, NOTHING_STORED).effective(defaults),
            )
            for row in rows
        ]

    async def limits(self, tenant_id: int) -> StoredLimits:
        return (await read_limits(self._connection, (tenant_id,))).get(tenant_id, NOTHING_STORED)

    async def set_limits(self, tenant_id: int, changes: Mapping[str, int | None], now_ns: int) -> bool:
        """Sets only the limits that are named, so that two concurrent changes both take effect.

        Returns false, and writes nothing, if the tenant has all of these values.
        """
        before = asdict(await self.limits(tenant_id))
        values = {name: number for name, number in changes.items() if number != before[name]}
        if not values:
            return False
        if "partitions" in values:
            ways = (await read_ways(self._connection, (tenant_id,))).get(tenant_id, UNCHANGED)
            ways = ways.changed(values["partitions"] or DEFAULT_WAYS, now_ns)
            values |= {"partitions_before": ways.before, "partitions_since_ns": ways.since_ns}
        await self._connection.execute(
            upsert(self._connection, TenantLimits)
            .values(tenant_id=tenant_id, **values)
            .on_conflict_do_update(index_elements=[TenantLimits.tenant_id], set_=values)
        )
        return True

    async def body_max_bytes(self, tenant_id: int) -> int:
        return (await self._connection.scalars(select(TenantRow.body_max_bytes).where(TenantRow.id == tenant_id))).one()


def unknown_tenant(name: str) -> NotFound:
    """Returns the error for the name of a tenant that does not exist, or that the caller may not see."""
    return NotFound(f"there is no tenant {name!r}; `logsieve tenant list` shows all")


async def require_tenant(connection: AsyncConnection, name: str) -> int:
    """Returns the id of the tenant of that name. Raises NotFound."""
    # The row of a deleted tenant has a name that does not match, and PostgreSQL accepts no text with a NUL.
    tenant_id = (
        await connection.scalar(select(TenantRow.id).where(TenantRow.name == name)) if NAME.fullmatch(name) else None
    )
    if tenant_id is None:
        raise unknown_tenant(name)
    return tenant_id
