"""What operators do with tenants and keys; each call is one transaction."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.tenants.cohorts import ANNOUNCE_NS, check_retention, own_cohort, read_cohort, shared_cohort
from backend.tenants.repository import NAME, KeyInfo, TenantInfo, TenantRepository, require_tenant
from kit.clock import Clock
from kit.errors import Conflict, InvalidRequest, NotFound, Unavailable
from schema.control.keys import NewKey, make_key
from schema.control.limits import Limits
from schema.control.models import Purpose

DEFAULT_RETENTION_DAYS: Final = 30
MAX_BODY_BYTES: Final = 65_536
MOST_SEARCHES: Final = 100_000


@dataclass(frozen=True, slots=True)
class TenantChanges:
    """What is to be another way; None and limits that are not named stay. A limit that is None is removed."""

    retention_days: int | None = None
    body_max_bytes: int | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict)


class TenantService:
    def __init__(self, engine: AsyncEngine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def create_tenant(
        self, name: str, retention_days: int, body_max_bytes: int, lane: int | None = None
    ) -> TenantInfo:
        """A new tenant in the cohort of its retention, on that lane for good, or else on one picked by its name.

        Raises InvalidRequest for a name or number out of range and for a lane that was not made, Conflict when the name
        is taken, Unavailable when no lane was made yet.
        """
        if not NAME.fullmatch(name):
            raise InvalidRequest(
                f"{name!r} is no tenant name: up to 63 of a-z, 0-9, _ and -, starting with a letter or _"
            )
        check_retention(retention_days)
        _check_body(body_max_bytes)
        now_ns = self._clock.now_ns()
        cohort = shared_cohort(retention_days)
        try:
            async with self._engine.begin() as connection:
                repository = TenantRepository(connection)
                lanes = await repository.lanes()
                if not lanes:
                    raise Unavailable("there are no lanes yet: run `logsieve migrate`")
                if lane is None:
                    lane = pick_lane(name, lanes)
                elif lane not in lanes:
                    raise InvalidRequest(f"there is no lane {lane}: there are {', '.join(map(str, lanes))}")
                tenant_id = await repository.add_tenant(name, lane, body_max_bytes, now_ns)
                await repository.add_cohort(tenant_id, cohort, retention_days, now_ns)
        except IntegrityError as error:
            raise Conflict(f"there is a tenant {name!r} already") from error
        return TenantInfo(tenant_id, name, lane, cohort, retention_days, body_max_bytes, now_ns)

    async def tenants(self) -> list[TenantInfo]:
        """All tenants, by name."""
        async with self._engine.connect() as connection:
            return await TenantRepository(connection).tenants(self._clock.now_ns())

    async def tenant(self, name: str) -> TenantInfo:
        """Raises NotFound."""
        for tenant in await self.tenants():
            if tenant.name == name:
                return tenant
        raise NotFound(f"there is no tenant {name!r}")

    async def set_retention(self, tenant: str, retention_days: int) -> None:
        """Records that arrive 10 s from now or later are kept so long; those that are stored stay as they are.

        A cohort of the tenant's own is an exception: all of it is kept as long as the longest of its retentions.

        Raises NotFound for an unknown tenant, InvalidRequest for a number out of range.
        """
        await self.change_tenant(tenant, TenantChanges(retention_days=retention_days))

    async def change_tenant(self, tenant: str, changes: TenantChanges) -> TenantInfo:
        """All of the changes or none; the tenant as it is now, where another retention begins in 10 s.

        Raises NotFound for an unknown tenant, InvalidRequest for a number out of range.
        """
        if changes.retention_days is not None:
            check_retention(changes.retention_days)
        if changes.body_max_bytes is not None:
            _check_body(changes.body_max_bytes)
        _check_limits(changes.limits)
        async with self._engine.begin() as connection:
            repository = TenantRepository(connection)
            tenant_id = await require_tenant(connection, tenant)
            if (days := changes.retention_days) is not None:
                latest, _ = await repository.latest_cohort(tenant_id)
                own = own_cohort(tenant_id)
                cohort = own if latest == own else shared_cohort(days)
                await repository.add_cohort(tenant_id, cohort, days, self._clock.now_ns() + ANNOUNCE_NS)
            if changes.body_max_bytes is not None:
                await repository.set_body_max_bytes(tenant_id, changes.body_max_bytes)
            if changes.limits:
                await repository.set_limits(tenant_id, changes.limits)
        return await self.tenant(tenant)

    async def move(self, tenant: str, cohort: str) -> str:
        """Records that arrive 10 s from now or later go to another cohort (`own` or `r<days>`), whose name is returned.

        Those that are stored stay where they are, and are found there. Raises NotFound for an unknown tenant,
        InvalidRequest for what is no cohort.
        """
        async with self._engine.begin() as connection:
            repository = TenantRepository(connection)
            tenant_id = await require_tenant(connection, tenant)
            latest = await repository.latest_cohort(tenant_id)
            wanted = read_cohort(cohort, tenant_id, latest[1])
            if wanted != latest:
                await repository.add_cohort(tenant_id, *wanted, self._clock.now_ns() + ANNOUNCE_NS)
        return wanted[0]

    async def delete_tenant(self, tenant: str) -> None:
        """Its keys stop working within 5 s, and retention erases its records. Raises NotFound for an unknown tenant."""
        async with self._engine.begin() as connection:
            repository = TenantRepository(connection)
            await repository.delete_tenant(await require_tenant(connection, tenant), self._clock.now_ns())

    async def limits(self, tenant: str) -> Limits:
        """What a tenant may use. Raises NotFound for an unknown tenant."""
        async with self._engine.connect() as connection:
            repository = TenantRepository(connection)
            return await repository.limits(await require_tenant(connection, tenant))

    async def set_limits(self, tenant: str, changes: Mapping[str, int | None]) -> Limits:
        """Changes some of a tenant's limits, by the names of Limits' fields; None removes one.

        Receivers know within 5 s.
        Raises NotFound for an unknown tenant, InvalidRequest for a limit below 1 or beyond 64 bits.
        """
        return (await self.change_tenant(tenant, TenantChanges(limits=changes))).limits

    async def create_key(self, tenant: str, purpose: Purpose, label: str) -> NewKey:
        """A new key; its text is in the answer and nowhere else.

        Raises NotFound for an unknown tenant, InvalidRequest for a label with a NUL, which PostgreSQL cannot keep.
        """
        if "\0" in label:
            raise InvalidRequest("a label cannot have NUL characters")
        key = make_key(purpose)
        async with self._engine.begin() as connection:
            repository = TenantRepository(connection)
            tenant_id = await require_tenant(connection, tenant)
            await repository.add_key(tenant_id, purpose, key, label[:100], self._clock.now_ns())
        return key

    async def keys(self, tenant: str | None) -> list[KeyInfo]:
        """Keys of one tenant or of all. Raises NotFound for an unknown tenant."""
        async with self._engine.connect() as connection:
            repository = TenantRepository(connection)
            if tenant is not None:
                await require_tenant(connection, tenant)
            return await repository.keys(tenant)

    async def revoke_key(self, key_id: str) -> None:
        """The key stops working within 5 seconds. Raises NotFound for an unknown id."""
        async with self._engine.begin() as connection:
            if not await TenantRepository(connection).revoke_key(key_id, self._clock.now_ns()):
                raise NotFound(f"there is no key {key_id!r}")


def _check_body(size: int) -> None:
    if not 1 <= size <= MAX_BODY_BYTES:
        raise InvalidRequest(f"the longest body kept must be 1 to {MAX_BODY_BYTES} bytes")


def _check_limits(limits: Mapping[str, int | None]) -> None:
    for name, number in limits.items():
        most = MOST_SEARCHES if name == "concurrent_searches" else 2**63 - 1
        if number is not None and not 1 <= number <= most:
            raise InvalidRequest(f"{name} must be 1 to {most}; leave the limit out to have none")


def pick_lane(name: str, lanes: Sequence[int]) -> int:
    """A lane by the hash of the tenant's name: the same name comes to the same lane on every installation."""
    return lanes[int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % len(lanes)]
