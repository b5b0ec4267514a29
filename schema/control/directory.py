"""A process's own copy of tenants and keys: asked on every request, read from the database every few seconds.

It keeps answering from the last copy while the database is away, so that a control plane that is down stops neither
ingest nor search. A revoked key stops working within one refresh.
"""

import asyncio
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kit import metrics
from kit.clock import Clock
from kit.errors import Unauthenticated, Unavailable
from kit.repeating import RepeatingTask
from schema.attribute_rules import NO_RULES, TenantRules
from schema.control.attribute_rules import EMPTY, RuleBook, read_rules
from schema.control.database import open_database
from schema.control.keys import digest
from schema.control.limits import UNLIMITED, Limits, read_limits
from schema.control.models import ApiKey, Purpose, TenantCohort
from schema.control.models import Tenant as TenantRow

log = structlog.get_logger()

READ_SECONDS: Final = 30.0
"""Longest that one read of the control plane may take. A server that accepts connections and answers nothing would hold
the loop for ever otherwise."""

STALE_SECONDS: Final = 300.0
"""Age of the copy from which on readiness fails. Long enough for a restart of the database."""


_PURPOSES: Final = frozenset(Purpose)


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant as requests need it: where new records go, where all of them may be, and what it may send."""

    id: int
    name: str
    lane: int
    cohort: str
    cohorts: tuple[str, ...]
    retention_days: int
    """Of what arrives now."""
    body_max_bytes: int
    limits: Limits = UNLIMITED
    attribute_rules: TenantRules = NO_RULES
    longest_retention_days: int = 0
    """Of what is stored: a tenant with a shorter retention than before still has records of before."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key proved to belong to."""

    tenant: Tenant
    purpose: Purpose
    key_id: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All tenants and all keys that are not revoked, at one moment."""

    tenants: dict[int, Tenant]
    grants: dict[bytes, Grant]
    rules: RuleBook


class Directory:
    """Tenants and keys by a copy that is at most `refresh_seconds` old while the database answers."""

    def __init__(self, url: str, refresh_seconds: float, clock: Clock) -> None:
        self._engine: AsyncEngine = open_database(url)
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._snapshot: Snapshot | None = None
        self._read_at: float | None = None
        self._refreshing = RepeatingTask("control-directory", refresh_seconds, self.refresh)
        self._failures = metrics.counter(metrics.CONTROL_REFRESH_FAILURES)

    async def start(self) -> None:
        """Read once, then keep reading in the background. A database that is away is not an error here."""
        with suppress(Exception):  # The loop meets the same error again, counts it and logs it.
            await self.refresh()
        self._refreshing.start()

    async def stop(self) -> None:
        await self._refreshing.cancel()
        await self._engine.dispose()

    async def refresh(self) -> None:
        """Reads everything now. A database that is away is logged, and the last copy stays."""
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(READ_SECONDS), self._engine.connect() as connection:
                last_rules = EMPTY if self._snapshot is None else self._snapshot.rules
                self._snapshot = await read_snapshot(connection, self._clock.now_ns(), last_rules)
        except (SQLAlchemyError, OSError) as error:
            self._failures.add(1)
            log.warning("control plane cannot be read", error=str(error).split("\n")[0] or type(error).__name__)
        else:
            self._read_at = began

    def grant(self, key: str) -> Grant:
        """What the key gives.

        Raises Unauthenticated for a key that is unknown or revoked, Unavailable before the first successful read.
        """
        if self._snapshot is None:
            raise Unavailable("tenants and keys cannot be read yet", retry_after=self._refresh_seconds)
        # Found by a digest of 256 random bits: how long the look-up takes tells nothing about any key.
        grant = self._snapshot.grants.get(digest(key))
        if grant is None:
            raise Unauthenticated("the key is not known, or it was revoked")
        return grant

    def limits(self, tenant_id: int) -> Limits:
        """A tenant's limits by the last copy; none for a tenant that is not in it."""
        tenant = self._snapshot.tenants.get(tenant_id) if self._snapshot is not None else None
        return UNLIMITED if tenant is None else tenant.limits

    def problem(self) -> str | None:
        """Returns why requests cannot be authenticated, or may be by keys that were revoked; None otherwise.

        An old copy is served all the same, because a control plane that is away stops neither ingest nor search.
        """
        if self._read_at is None:
            return "tenants and keys were never read"
        age = self._clock.monotonic() - self._read_at
        if age <= STALE_SECONDS:
            return None
        return f"tenants and keys were last read {age:.0f} s ago: keys revoked since then still work; see the log"


async def read_snapshot(connection: AsyncConnection, now_ns: int, last_rules: RuleBook) -> Snapshot:
    """All tenants with the cohort that holds at `now_ns`, all keys in force, and the attribute rules, which are
    `last_rules` itself where none changed.
    """
    cohorts: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    rows = await connection.execute(
        select(
            TenantCohort.tenant_id, TenantCohort.since_ns, TenantCohort.cohort, TenantCohort.retention_days
        ).order_by(TenantCohort.tenant_id, TenantCohort.since_ns)
    )
    for tenant_id, since_ns, cohort, retention_days in rows:
        cohorts[tenant_id].append((since_ns, cohort, retention_days))

    limits = await read_limits(connection)
    rules = await read_rules(connection, last_rules)
    tenants: dict[int, Tenant] = {}
    present = select(TenantRow.id, TenantRow.name, TenantRow.lane, TenantRow.body_max_bytes).where(
        TenantRow.deleted_at_ns.is_(None)
    )
    for row in await connection.execute(present):
        current = [entry for entry in cohorts[row.id] if entry[0] <= now_ns]
        if not current:
            continue
        _, cohort, retention_days = current[-1]
        tenants[row.id] = Tenant(
            id=row.id,
            name=row.name,
            lane=row.lane,
            cohort=cohort,
            cohorts=tuple(sorted({name for _, name, _ in cohorts[row.id]})),
            retention_days=retention_days,
            longest_retention_days=max(days for _, _, days in cohorts[row.id]),
            body_max_bytes=row.body_max_bytes,
            limits=limits.get(row.id, UNLIMITED),
            attribute_rules=rules.rules(row.id),
        )

    keys = await connection.execute(
        select(ApiKey.sha256, ApiKey.tenant_id, ApiKey.purpose, ApiKey.id).where(ApiKey.revoked_at_ns.is_(None))
    )
    grants = {}
    for sha256, tenant_id, purpose, key_id in keys:
        if tenant_id not in tenants:
            continue
        if purpose in _PURPOSES:
            grants[bytes(sha256)] = Grant(tenants[tenant_id], Purpose(purpose), key_id)
        else:  # A newer release knows more purposes. Such a key gives nothing here.
            metrics.counter(metrics.CONTROL_SKIPPED_ROWS).add(1, {"table": ApiKey.__tablename__})
    return Snapshot(tenants, grants, rules)
