"""Adds the shards of tenants to a control plane that was restored from a backup and lacks them.

A search reads only the shards that the control plane has for its tenant.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import insert, select

from schema.control.changes import Change
from schema.control.models import TenantRow
from schema.control.restored_places import StoredPlace
from schema.control.shard_models import TenantShard
from schema.control.tenant_shards import EVERY_SHARD, read_shards


class RestoredShards(NamedTuple):
    """Shards that have records of a tenant, and that its searches did not read."""

    tenant: str
    shards: tuple[int, ...]


async def restore_shards(change: Change, stored: Collection[StoredPlace]) -> list[RestoredShards]:
    """Lets searches read all shards in `stored`. Returns the shards that searches did not read.

    Leaves out deleted and unknown tenants, and tenants whose searches read every shard. Also records the shards of
    tenants without a record, because a loader that records the first shard would hide their records on the others.
    Loaders must have been started after the restore: each one writes a shard only once, and would not repeat it.
    """
    connection = change.connection
    live = select(TenantRow.id, TenantRow.name).where(TenantRow.deleted_at_ns.is_(None)).order_by(TenantRow.id)
    recorded, found = await read_shards(connection, None), _by_tenant(stored)
    restored = list[RestoredShards]()
    for tenant_id, name in (await connection.execute(live)).all():
        known = recorded.get(tenant_id, frozenset())
        missing = tuple(sorted(found[tenant_id] - known))
        if not missing or EVERY_SHARD in known:
            continue
        rows = [{"tenant_id": tenant_id, "shard": shard} for shard in missing]
        await connection.execute(insert(TenantShard), rows)
        await change.note("tenant.restore", (tenant_id, name), after={"shards": list(missing)})
        if len(known) == 1:
            # A tenant without a record, or with several shards, has read all shards.
            restored.append(RestoredShards(name, missing))
    return restored


def _by_tenant(stored: Collection[StoredPlace]) -> defaultdict[int, set[int]]:
    found = defaultdict[int, set[int]](set)
    for each in stored:
        found[each.tenant_id] |= each.shards
    return found
