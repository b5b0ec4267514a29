"""Shows how full the disks of the log store are, the tenants' fair shares, and which days they lose next.

It only reads: loaders examine the disks and write the report.
"""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from kit.errors import NotFound
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
            report = await read_report(connection)
            tenants = await read_kept_tenants(connection)
        chosen = [
            ShownTenant(tenant, None if report is None else report.tenants.get(tenant_id))
            for tenant_id, tenant in tenants.items()
            if name in (None, tenant.name)
        ]
        if name is not None and not chosen:
            raise NotFound(f"there is no tenant {name!r}; `logsieve tenant list` shows all")
        return ShownStorage(report, tuple(sorted(chosen, key=lambda each: each.tenant.name)))
