"""The shards that have rows of each tenant, so that searches read no other shard.

A loader records a shard before it inserts the tenant's first row there. The record is kept for ever, so that it never
lacks a shard (docs/decisions/0038-a-search-reads-the-shards-of-its-tenant.md).
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from sqlalchemy import ColumnElement, Connection, exists, insert, literal, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.errors import Unavailable
from schema.control.changes import lock_changes
from schema.control.models import TenantRow
from schema.control.shard_models import Shard, TenantShard
from schema.control.upsert import upsert

EVERY_SHARD: Final = -1
"""Stands for all shards: for tenants whose rows were stored before shards were recorded, and in old copies of the
control plane."""


async def read_shards(connection: AsyncConnection, only: Collection[int] | None) -> dict[int, frozenset[int]]:
    """Returns the recorded shards of these tenants, or of all tenants if `only` is None. Leaves out tenants without a
    record."""
    among: ColumnElement[bool] = true() if only is None else TenantShard.tenant_id.in_(only)
    shards: dict[int, set[int]] = defaultdict(set)
    for tenant_id, shard in await connection.execute(select(TenantShard.tenant_id, TenantShard.shard).where(among)):
        shards[tenant_id].add(shard)
    return {tenant_id: frozenset(found) for tenant_id, found in shards.items()}


async def record_shard(connection: AsyncConnection, shard: int, tenants: Collection[int]) -> None:
    """Records that the shard may have rows of these tenants. Leaves out deleted and unknown tenants, because nobody can
    search their rows.

    The transaction must not have changed anything else before.
    """
    recorded_there = select(TenantShard.tenant_id).where(TenantShard.shard == shard)
    missing = select(TenantRow.id).where(
        TenantRow.id.in_(tenants), TenantRow.deleted_at_ns.is_(None), TenantRow.id.not_in(recorded_there)
    )
    if not (await connection.scalars(missing)).all():
        return
    await lock_changes(connection)
    # Read again, because another change may have deleted one of the tenants meanwhile.
    for tenant_id in sorted(await connection.scalars(missing)):
        recorded = upsert(connection, TenantShard).values(tenant_id=tenant_id, shard=shard)
        await connection.execute(recorded.on_conflict_do_nothing())


async def require_known(connection: AsyncConnection, shard: int) -> None:
    """Raises Unavailable unless `prepare_shards` has run for the shard. An earlier record of one shard would hide the
    tenant's rows on other shards."""
    if await connection.scalar(select(Shard.number).where(Shard.number == shard)) is None:
        raise Unavailable(
            f"shard {shard} is new, and `logsieve migrate` has not run with it: run it with the LOGSIEVE_CLICKHOUSE_URL"
            " of this loader. The loader then continues; sent logs are safe in Kafka."
        )


def prepare_shards(connection: Connection, shards: int) -> None:
    """If shards are new, records every shard for all tenants without a record, then allows loaders to record the new
    shards.

    Rows of such tenants may be stored already: while there was one shard, or by loaders that recorded nothing. Since
    all shards are known, loaders record each tenant before its first row, so a tenant without a record has no rows.
    """
    known = set(connection.scalars(select(Shard.number)))
    added = [{"number": shard} for shard in range(shards) if shard not in known]
    if not added:
        return
    recorded = exists().where(TenantShard.tenant_id == TenantRow.id)
    unknown = select(TenantRow.id, literal(EVERY_SHARD)).where(TenantRow.deleted_at_ns.is_(None), ~recorded)
    connection.execute(insert(TenantShard).from_select(["tenant_id", "shard"], unknown))
    connection.execute(insert(Shard), added)
