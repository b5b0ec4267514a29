"""A process's own copy of tenants and keys, which requests read and which follows the database every few seconds.

While the database is unreachable, the last copy stays in use, so that neither ingest nor search stops. A revoked key
stops working at the next successful refresh.
"""

import asyncio
import math
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from kit import metrics
from kit.access_log import identified
from kit.clock import Clock
from kit.errors import Unauthenticated, Unavailable
from kit.repeating import RepeatingTask
from kit.settings import Settings
from schema.control.attribute_rules import EMPTY
from schema.control.database import open_database, reason_of, unavailable
from schema.control.key_use import WRITE_SECONDS, KeyUse, write_uses
from schema.control.keys import digest
from schema.control.limits import UNLIMITED, Limits, default_limits
from schema.control.snapshot import Snapshot, read_changes, read_snapshot
from schema.control.tenant import Grant, Tenant
from schema.control.tenant_lanes import ANNOUNCE_NS
from schema.control.tenant_shards import EVERY_SHARD
from schema.control.wrong_keys import WrongKeys
from schema.tenant_partitions import UNCHANGED, Ways

__all__ = ["Directory", "Grant", "Tenant", "open_directory"]

log = structlog.get_logger()

READ_SECONDS: Final = 30.0
"""Timeout of one read of the control plane, in seconds. Without it, a server that accepts connections and never answers
would block the loop forever."""

STOP_SECONDS: Final = 1.0
"""Longest wait of a stop until the last uses of keys are written, in seconds. An API process has 30 s to stop, of which
requests in progress take up to 5 s."""

FULL_READ_SECONDS: Final = 600.0
"""Seconds after which everything is read again, in case a change was not counted."""

STALE_SECONDS: Final = 300.0
"""Age of the copy, in seconds, at which the process begins to report that it is not ready. A restart of the database
takes less."""

TRUSTED_SECONDS: Final = ANNOUNCE_NS / 1e9
"""Largest age of the copy, in seconds, at which searches trust it to name all places of a tenant's rows. Afterwards the
tenant may have rows on a shard that was recorded since, or on a lane or in a cohort to which it was moved since."""

WRONG_KEYS_PER_MINUTE: Final = 60


class Directory:
    """A copy of tenants and keys, which is updated every `refresh_seconds` while the database answers."""

    def __init__(
        self,
        url: str,
        refresh_seconds: float,
        clock: Clock,
        defaults: Limits = UNLIMITED,
        wrong_keys_per_minute: int = WRONG_KEYS_PER_MINUTE,
    ) -> None:
        """`defaults` are the limits of tenants without limits of their own."""
        self._engine: AsyncEngine = open_database(url)
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._defaults = defaults
        self._snapshot: Snapshot | None = None
        self._read_at: float | None = None
        self._failure: str | None = None
        self._full_read_at: float | None = None
        self._refreshing = RepeatingTask("control-directory", refresh_seconds, self.refresh)
        self._key_use = KeyUse(clock)
        self._writing_use = RepeatingTask("key-use", WRITE_SECONDS, self.write_key_use)
        self._wrong_keys = WrongKeys(wrong_keys_per_minute, clock)
        self._failures = metrics.counter(metrics.CONTROL_REFRESH_FAILURES)

    async def start(self) -> None:
        """Reads once, then continues in the background. An unreachable database is not an error here."""
        with suppress(Exception):  # The loop gets the same error again, counts it and logs it.
            await self.refresh()
        self._refreshing.start()
        self._writing_use.start()

    async def stop(self) -> None:
        """Stops reading, and writes the last uses of keys if the control plane answers within STOP_SECONDS."""
        await self._refreshing.cancel()
        await self._writing_use.stop(STOP_SECONDS)
        await self._engine.dispose()

    async def refresh(self) -> None:
        """Reads the changes now. If the database is unreachable, logs it and keeps the last copy."""
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(READ_SECONDS):
                await self._read(started)
        except (SQLAlchemyError, OSError) as error:
            self._failures.add(1)
            self._failure = (
                unavailable(error, READ_SECONDS).detail
                if isinstance(error, DBAPIError)
                else reason_of(error, READ_SECONDS)
            )
            # The database may come back as an older backup. Changes that are made before the next read can count it up
            # to the last number again.
            self._full_read_at = None
            log.warning("the control plane cannot be read", error=self._failure)
        else:
            self._read_at = started

    async def _read(self, started: float) -> None:
        last, now_ns = self._snapshot, self._clock.now_ns()
        async with self._engine.connect() as connection:
            if last is None or self._full_read_at is None or started - self._full_read_at >= FULL_READ_SECONDS:
                rules = EMPTY if last is None else last.rules
                self._snapshot = await read_snapshot(connection, now_ns, self._defaults, rules)
                self._full_read_at = started
            else:
                self._snapshot = await read_changes(connection, now_ns, self._defaults, last)

    async def write_key_use(self) -> None:
        """Writes the uses of keys that are not written yet. Logs a failure."""
        minutes = self._key_use.take()
        if not minutes:
            return
        try:
            async with asyncio.timeout(READ_SECONDS), self._engine.begin() as connection:
                await write_uses(connection, minutes)
        except IntegrityError:
            # The row of a key is missing, for example after a backup was restored. The uses of the other keys are
            # written when these keys are used again.
            log.warning("times of last use of keys were not written: a key is no longer in the control plane")
        except (SQLAlchemyError, OSError) as error:
            self._failures.add(1)
            self._key_use.put_back(minutes)
            log.warning("times of last use of keys were not written", error=reason_of(error, READ_SECONDS))
        else:
            self._key_use.wrote(minutes)

    def grant(self, key: str, address: str | None = None) -> Grant:
        """Returns the tenant and the purpose of the key, and records that the key was used.

        Raises Unauthenticated for a key that is unknown, revoked or expired; RateLimited instead if the `address` sent
        too many wrong keys; Unavailable before the first successful read.
        """
        if self._snapshot is None:
            raise Unavailable(
                "the control plane has not been read since the start, so no key can be checked; try again",
                retry_after=self._refresh_seconds,
            )
        # Keys are found by a digest of 256 random bits, so the time of the look-up reveals nothing about any key.
        grant = self._snapshot.grants.get(digest(key))
        if grant is None:
            if address is not None:
                self._wrong_keys.count(address)
            raise Unauthenticated(
                "the key is unknown or was revoked; create one with `logsieve key create TENANT PURPOSE`"
            )
        identified(grant.tenant.name, grant.key_id)
        if grant.expires_at_ns is not None and grant.expires_at_ns <= self._clock.now_ns():
            expired = datetime.fromtimestamp(grant.expires_at_ns // 10**9, UTC)
            raise Unauthenticated(
                f"the key {grant.key_id} expired at {expired:%Y-%m-%dT%H:%M:%SZ}; create a new one with"
                f" `logsieve key create {grant.tenant.name} {grant.purpose}`"
            )
        self._key_use.used(grant.key_id)
        tenant = self._with_all_places(grant.tenant, self._snapshot)
        return grant if tenant is grant.tenant else replace(grant, tenant=tenant)

    def tenant(self, tenant_id: int) -> Tenant | None:
        """Returns a tenant from the last copy, for work without a request and its key; None if the copy does not have
        the tenant."""
        if self._snapshot is None or (tenant := self._snapshot.tenants.get(tenant_id)) is None:
            return None
        return self._with_all_places(tenant, self._snapshot)

    def _with_all_places(self, tenant: Tenant, snapshot: Snapshot) -> Tenant:
        """Returns the tenant as one that may have rows on every shard, on every lane and in every cohort if the copy is
        older than TRUSTED_SECONDS. A lane that was created since is missing, because the copy does not name it."""
        if self._age() <= TRUSTED_SECONDS:
            return tenant
        every_lane = replace(tenant.lanes, planned=snapshot.lanes)
        return replace(tenant, lanes=every_lane, cohorts=(), shards=tenant.shards | {EVERY_SHARD})

    def limits(self, tenant_id: int) -> Limits:
        """Returns a tenant's limits from the last copy; no limits for a tenant that is not in it."""
        tenant = self._snapshot.tenants.get(tenant_id) if self._snapshot is not None else None
        return UNLIMITED if tenant is None else tenant.limits

    def ways(self, tenant_id: int) -> Ways:
        """Returns how many keys a tenant's messages may have, from the last copy; the default for a tenant that is not
        in it."""
        tenant = self._snapshot.tenants.get(tenant_id) if self._snapshot is not None else None
        return UNCHANGED if tenant is None else tenant.ways

    def problem(self) -> str | None:
        """Returns why requests cannot be authenticated, or why revoked keys may still work; None if neither applies.

        An old copy stays in use, because neither ingest nor search must stop while the control plane is unreachable.
        """
        if self._read_at is None:
            return "tenants and keys were never read" + ("" if self._failure is None else f": {self._failure}")
        age = self._age()
        if age <= STALE_SECONDS:
            return None
        return f"tenants and keys were last read {age:.0f} s ago: keys revoked since then still work; see the log"

    def _age(self) -> float:
        """Returns the seconds since the last successful read."""
        return math.inf if self._read_at is None else self._clock.monotonic() - self._read_at


def open_directory(settings: Settings, clock: Clock) -> Directory:
    """Returns a directory for the settings. It is not started yet."""
    return Directory(
        settings.control_plane_url,
        settings.control_refresh_seconds,
        clock,
        default_limits(settings),
        settings.wrong_keys_per_minute,
    )
