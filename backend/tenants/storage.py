"""Shows how full the disks of the log store are, the tenants' fair shares, and which days they lose next.

It only reads: loaders examine the disks and write the report.
"""

from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.tenants.repository import require_tenant
from schema.control.storage import KeptTenant, StorageReport, TenantStorage, read_kept_tenants, read_report


@dataclass(frozen=True, slots=True)
class ShownTenant:
    """A tenant and its part of the last report on disks. `storage` is None if the report does not have the tenant
    yet."""

    tenant: KeptTenant
    storage: TenantStorage | None


@dataclass(frozen=True, slots=True)
class ShownStorage:
    """The last report, None before the first, and the tenants of the control plane ordered by name."""

    report: StorageReport | None
    tenants: tuple[ShownTenant, ...]


class StorageService:
    """Reads the report on the disks."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def storage(self, name: str | None = None) -> ShownStorage:
        """Returns the report with all tenants, or with the tenant of that name.

        Raises NotFound for an unknown name.
        """
        async with self._engine.connect() as connection:
            tenant_id = None if name is None else await require_tenant(connection, name)
            return await _shown(connection, tenant_id)

    async def storage_of(self, tenant_id: int) -> ShownStorage:
        """Returns the report with one tenant, and without the servers' volumes. It has no tenant if the tenant was
        deleted."""
        async with self._engine.connect() as connection:
            shown = await _shown(connection, tenant_id)
        return shown if shown.report is None else replace(shown, report=shown.report.model_copy(update={"volumes": ()}))


async def _shown(connection: AsyncConnection, tenant_id: int | None) -> ShownStorage:
    """Returns the report with one tenant, or with all if `tenant_id` is None."""
    report = await read_report(connection)
    tenants = await read_kept_tenants(connection, tenant_id)
    shown = [ShownTenant(tenant, None if report is None else report.tenants.get(id)) for id, tenant in tenants.items()]
    return ShownStorage(report, tuple(sorted(shown, key=lambda each: each.tenant.name)))
