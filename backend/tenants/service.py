"""Creates, changes, moves, lists and deletes tenants for operators, each call in one transaction."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audited_service import AuditedService
from backend.tenants.bounds import check_body, check_limits
from backend.tenants.changes import DEFAULT_LIMITS, TenantChanges, different, stored
from backend.tenants.cohorts import check_retention, own_cohort, read_cohort, shared_cohort
from backend.tenants.lanes import check_lane, pick_lane
from backend.tenants.repository import (
    NAME,
    TenantInfo,
    TenantRepository,
    require_tenant,
    unknown_tenant,
)
from kit.clock import Clock
from kit.errors import Conflict, InvalidRequest, Unavailable
from schema.control.changes import Actor
from schema.control.limits import UNLIMITED, Limits
from schema.control.tenant_lanes import PlacedSince, next_since

DEFAULT_RETENTION_DAYS: Final = 30


class TenantService(AuditedService):
    """Manages tenants."""

    def __init__(
        self, engine: AsyncEngine, clock: Clock, actor: Actor | None = None, defaults: Limits = UNLIMITED
    ) -> None:
        """`defaults` are the limits of tenants without limits of their own."""
        super().__init__(engine, clock, actor)
        self._defaults = defaults

    async def create_tenant(
        self,
        name: str,
        retention_days: int,
        body_max_bytes: int,
        lane: int | None = None,
        limits: Mapping[str, int | None] = DEFAULT_LIMITS,
    ) -> TenantInfo:
        """Creates a tenant in the cohort of its retention, on `lane` or on a lane picked by its name.

        Limits that are not named get the default. None means no limit; for NEVER_UNLIMITED, the default.

        Raises InvalidRequest for a name or number out of range and for an unknown lane, Conflict when the name is
        taken, Unavailable when no lane exists yet.
        """
        if not NAME.fullmatch(name):
            raise InvalidRequest(
                f"{name!r} cannot be a tenant's name: use up to 63 of a-z, 0-9, _ and -, starting with a letter or _"
            )
        check_retention(retention_days)
        check_body(body_max_bytes)
        check_limits(limits)
        cohort = shared_cohort(retention_days)
        try:
            async with self._changing() as change:
                repository, now_ns = TenantRepository(change.connection), change.now_ns
                lanes = await repository.lanes()
                if not lanes:
                    raise Unavailable("there are no lanes yet: run `logsieve migrate`")
                if lane is None:
                    lane = pick_lane(name, lanes)
                else:
                    check_lane(lane, lanes)
                tenant_id = await repository.add_tenant(name, lane, body_max_bytes, now_ns)
                await repository.place(tenant_id, PlacedSince(now_ns, cohort, retention_days, None))
                await repository.set_limits(tenant_id, stored(limits), now_ns)
                after = {"lane": lane} | await self._changeable(repository, tenant_id)
                await change.note("tenant.create", (tenant_id, name), after=after)
                in_force = (await repository.limits(tenant_id)).effective(self._defaults)
        except IntegrityError as error:
            raise Conflict(f"there is a tenant {name!r} already: give another name") from error
        return TenantInfo(tenant_id, name, lane, cohort, cohort, retention_days, body_max_bytes, now_ns, in_force)

    async def tenants(self) -> list[TenantInfo]:
        """Returns all tenants by name."""
        async with self._engine.connect() as connection:
            return await TenantRepository(connection).tenants(self._clock.now_ns(), self._defaults)

    async def tenant(self, name: str) -> TenantInfo:
        """Returns the tenant of that name. Raises NotFound."""
        async with self._engine.connect() as connection:
            found = await TenantRepository(connection).tenants(self._clock.now_ns(), self._defaults, name)
        if not found:
            raise unknown_tenant(name)
        return found[0]

    async def set_retention(self, tenant: str, retention_days: int) -> None:
        """Sets the retention of records that arrive 10 s from now or later. Stored records keep their retention.

        If the tenant has a cohort of its own, all its records, also stored ones, are kept for the longest retention
        that it has had.

        Raises NotFound for an unknown tenant, InvalidRequest for a number out of range.
        """
        await self.change_tenant(tenant, TenantChanges(retention_days=retention_days))

    async def change_tenant(self, tenant: str, changes: TenantChanges) -> TenantInfo:
        """Makes all of the changes or none, and returns the tenant as changed.

        A new retention takes effect within 15 s. Values that the tenant has already are not written again.

        Raises NotFound for an unknown tenant, InvalidRequest for a number out of range.
        """
        if changes.retention_days is not None:
            check_retention(changes.retention_days)
        if changes.body_max_bytes is not None:
            check_body(changes.body_max_bytes)
        check_limits(changes.limits)
        async with self._changing() as change:
            repository = TenantRepository(change.connection)
            tenant_id = await require_tenant(change.connection, tenant)
            before = await self._changeable(repository, tenant_id)
            days, size = changes.retention_days, changes.body_max_bytes
            written = (
                days is not None and await _set_retention(repository, tenant_id, days, change.now_ns),
                size is not None and await repository.set_body_max_bytes(tenant_id, size),
                await repository.set_limits(tenant_id, changes.stored_limits, change.now_ns),
            )
            if any(written):
                after = await self._changeable(repository, tenant_id)
                await change.note("tenant.change", (tenant_id, tenant), *different(before, after))
            (changed,) = await repository.tenants(change.now_ns, self._defaults, tenant)
        return changed

    async def move(self, tenant: str, cohort: str | None = None, lane: int | None = None) -> PlacedSince:
        """Moves records that arrive 10 s from now or later to another cohort (`own` or `r<days>`), lane or both.
        Returns where they go.

        Stored records stay in their cohort and lane and are found there. Raises NotFound for an unknown tenant,
        InvalidRequest for text that names no cohort, and for an unknown lane.
        """
        async with self._changing() as change:
            repository = TenantRepository(change.connection)
            tenant_id = await require_tenant(change.connection, tenant)
            if lane is not None:
                check_lane(lane, await repository.lanes())
            last = await repository.last_place(tenant_id)
            name, days = last.cohort, last.retention_days
            if cohort is not None:
                name, days = read_cohort(cohort, tenant_id, days)
            wanted = last._replace(cohort=name, retention_days=days, lane=last.lane if lane is None else lane)
            if wanted != last:
                wanted = wanted._replace(since_ns=next_since(last, change.now_ns))
                await repository.place(tenant_id, wanted)
                before, after = (
                    {"cohort": each.cohort, "retention_days": each.retention_days, "lane": each.lane}
                    for each in (last, wanted)
                )
                await change.note("tenant.move", (tenant_id, tenant), before, after)
        return wanted

    async def delete_tenant(self, tenant: str) -> None:
        """Deletes a tenant. Its keys stop working within 5 s; then loaders erase its records. Raises NotFound."""
        async with self._changing() as change:
            repository = TenantRepository(change.connection)
            tenant_id = await require_tenant(change.connection, tenant)
            before = await self._changeable(repository, tenant_id)
            await repository.delete_tenant(tenant_id, change.now_ns)
            await change.note("tenant.delete", (tenant_id, tenant), before)

    async def limits(self, tenant: str) -> Limits:
        """Returns the limits in force for a tenant. Raises NotFound for an unknown tenant."""
        async with self._engine.connect() as connection:
            repository = TenantRepository(connection)
            own = await repository.limits(await require_tenant(connection, tenant))
        return own.effective(self._defaults)

    async def replace_limits(self, tenant: str, limits: Mapping[str, int | None]) -> Limits:
        """Replaces all limits of a tenant. Limits that are not given get their defaults. Raises what `set_limits`
        raises."""
        return (await self.change_tenant(tenant, TenantChanges(limits=limits, replaces_limits=True))).limits

    async def set_limits(self, tenant: str, changes: Mapping[str, int | None]) -> Limits:
        """Changes some of a tenant's limits, by the names of Limits' fields. None removes a limit, or restores the
        default of `concurrent_searches` and `partitions`. Receivers apply them within 5 s. Raises NotFound for an
        unknown tenant, InvalidRequest for a limit below 1 or beyond 64 bits.
        """
        return (await self.change_tenant(tenant, TenantChanges(limits=changes))).limits

    async def _changeable(self, repository: TenantRepository, tenant_id: int) -> dict[str, object]:
        """Returns the values of a tenant that can be changed, for the audit log."""
        last = await repository.last_place(tenant_id)
        body_max_bytes = await repository.body_max_bytes(tenant_id)
        limits = await repository.limits(tenant_id)
        # A limit of the tenant's own may be equal to the default. Without the names, the entry would be empty.
        own = [name for name, number in asdict(limits).items() if number is not None]
        place = {"retention_days": last.retention_days, "cohort": last.cohort}
        in_force = asdict(limits.effective(self._defaults))
        return place | {"body_max_bytes": body_max_bytes} | in_force | {"own_limits": own}


async def _set_retention(repository: TenantRepository, tenant_id: int, days: int, now_ns: int) -> bool:
    """Announces the retention of new records. Returns false, and writes nothing, if it is the one that was set last."""
    last, own = await repository.last_place(tenant_id), own_cohort(tenant_id)
    cohort = own if last.cohort == own else shared_cohort(days)
    if (cohort, days) == (last.cohort, last.retention_days):
        return False
    await repository.place(tenant_id, PlacedSince(next_since(last, now_ns), cohort, days, None))
    return True
