"""Reads tenants, keys, limits and rules: all of them, or only the changes since the last read.

docs/decisions/0025-the-control-plane-counts-its-changes.md says why no change is missed.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import ColumnElement, Row, select, true
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import InstrumentedAttribute

from kit import metrics
from schema.control.attribute_rules import EMPTY, RuleBook, read_rules
from schema.control.limits import NOTHING_STORED, UNLIMITED, Limits, read_limits
from schema.control.models import ApiKey, ControlRevision, Lane, Purpose, TenantRow
from schema.control.tenant import Grant, Tenant
from schema.control.tenant_lanes import PlacedSince, begun, lanes_at, read_placed
from schema.control.tenant_shards import read_shards
from schema.control.tenant_ways import read_ways
from schema.tenant_partitions import UNCHANGED

MAX_CHANGED: Final = 500
"""Largest number of changed tenants that are read one by one. If more changed, everything is read."""

_PURPOSES: Final = frozenset(Purpose)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All tenants, all keys that are not revoked and all lanes, at one moment.

    `number` and `installation` are the control plane's counts at that moment. `starts` has, for each tenant with a
    planned move, the time at which it starts, in nanoseconds since the Unix epoch.
    """

    number: int
    installation: int
    tenants: dict[int, Tenant]
    grants: dict[bytes, Grant]
    rules: RuleBook
    starts: dict[int, int]
    lanes: tuple[int, ...] = ()


async def read_snapshot(
    connection: AsyncConnection, now_ns: int, defaults: Limits = UNLIMITED, rules: RuleBook = EMPTY
) -> Snapshot:
    """Reads everything, with the cohorts that apply at `now_ns`. Rules that did not change keep their objects of
    `rules`.

    `defaults` are the limits of tenants without limits of their own.
    """
    number, installation = await _counts(connection)
    return await _read(connection, now_ns, defaults, Snapshot(number, installation, {}, {}, rules, {}), None)


async def read_changes(connection: AsyncConnection, now_ns: int, defaults: Limits, last: Snapshot) -> Snapshot:
    """Reads tenants that changed since `last` and tenants whose planned move has begun. Returns `last` if there are
    none."""
    number, installation = await _counts(connection)
    changed = {tenant_id for tenant_id, since_ns in last.starts.items() if since_ns <= now_ns}
    if number == last.number and not changed:
        return last
    if number < last.number or installation != last.installation:
        return await read_snapshot(connection, now_ns, defaults, last.rules)
    if number != last.number:
        newer = select(TenantRow.id).where(TenantRow.revision > last.number).limit(MAX_CHANGED + 1)
        changed |= {*await connection.scalars(newer)}
    if len(changed) > MAX_CHANGED:
        return await read_snapshot(connection, now_ns, defaults, last.rules)
    kept = Snapshot(
        number,
        installation,
        {tenant_id: tenant for tenant_id, tenant in last.tenants.items() if tenant_id not in changed},
        {digest: grant for digest, grant in last.grants.items() if grant.tenant.id not in changed},
        last.rules,
        {tenant_id: since_ns for tenant_id, since_ns in last.starts.items() if tenant_id not in changed},
    )
    return await _read(connection, now_ns, defaults, kept, changed)


async def _counts(connection: AsyncConnection) -> tuple[int, int]:
    row = (await connection.execute(select(ControlRevision.number, ControlRevision.installation))).one()
    return row.number, row.installation


async def _read(
    connection: AsyncConnection, now_ns: int, defaults: Limits, kept: Snapshot, only: Collection[int] | None
) -> Snapshot:
    """Adds to `kept` the tenants of these ids, or all tenants if `only` is None."""
    rules = await read_rules(connection, kept.rules, only)
    placed = await read_placed(connection, only)
    limits = await read_limits(connection, only)
    shards = await read_shards(connection, only)
    ways = await read_ways(connection, only)
    present = select(
        TenantRow.id, TenantRow.name, TenantRow.lane, TenantRow.body_max_bytes, TenantRow.kept_from_day
    ).where(TenantRow.deleted_at_ns.is_(None), _among(TenantRow.id, only))
    read: dict[int, Tenant] = {}
    starts = dict(kept.starts)
    for row in await connection.execute(present):
        if upcoming := [each.since_ns for each in placed[row.id] if each.since_ns > now_ns]:
            starts[row.id] = min(upcoming)
        limited = limits.get(row.id, NOTHING_STORED).effective(defaults)
        if placed[row.id]:
            tenant = _tenant(row, placed[row.id], now_ns, limited, rules)
            read[row.id] = replace(tenant, shards=shards.get(row.id, frozenset()), ways=ways.get(row.id, UNCHANGED))
    grants = await _grants(connection, read, only)
    lanes = tuple(await connection.scalars(select(Lane.number).order_by(Lane.number)))
    return Snapshot(kept.number, kept.installation, kept.tenants | read, kept.grants | grants, rules, starts, lanes)


def _tenant(
    row: Row[int, str, int, int, int], placed: list[PlacedSince], now_ns: int, limits: Limits, rules: RuleBook
) -> Tenant:
    """Returns the tenant as of `now_ns`. `placed` is not empty."""
    current = begun(now_ns, placed)
    return Tenant(
        id=row.id,
        name=row.name,
        lanes=lanes_at(now_ns, row.lane, placed),
        cohort=current[-1].cohort,
        cohorts=tuple(sorted({each.cohort for each in placed})),
        retention_days=current[-1].retention_days,
        longest_retention_days=max(each.retention_days for each in placed),
        body_max_bytes=row.body_max_bytes,
        limits=limits,
        attribute_rules=rules.rules(row.id),
        kept_from_day=row.kept_from_day,
    )


async def _grants(
    connection: AsyncConnection, tenants: dict[int, Tenant], only: Collection[int] | None
) -> dict[bytes, Grant]:
    keys = await connection.execute(
        select(ApiKey.sha256, ApiKey.tenant_id, ApiKey.purpose, ApiKey.id, ApiKey.expires_at_ns).where(
            ApiKey.revoked_at_ns.is_(None), _among(ApiKey.tenant_id, only)
        )
    )
    grants = {}
    for sha256, tenant_id, purpose, key_id, expires_at_ns in keys:
        if tenant_id not in tenants:
            continue
        if purpose in _PURPOSES:
            grants[bytes(sha256)] = Grant(tenants[tenant_id], Purpose(purpose), key_id, expires_at_ns)
        else:  # A newer release may know more purposes. Such a key grants nothing here.
            metrics.counter(metrics.CONTROL_SKIPPED_ROWS).add(1, {"table": ApiKey.__tablename__})
    return grants


def _among(column: InstrumentedAttribute[int], only: Collection[int] | None) -> ColumnElement[bool]:
    return true() if only is None else column.in_(only)
