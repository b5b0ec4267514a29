"""Limits of a tenant: as the control plane stores them, and as they apply."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.settings import Settings
from schema.control.models import TenantLimits

NO_LIMIT: Final = 0
"""Stored value of a removed limit. The tenant then has no limit instead of the default."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that apply to a tenant; None means no limit.

    Rates apply to each receiver, `bytes_per_day` to all receivers together, for a UTC day. `concurrent_searches` is
    per API process; None there means the setting's value. `partitions` is the number of keys that the tenant's messages
    may have, and so of partitions; None there means DEFAULT_WAYS.
    """

    bytes_per_second: int | None = None
    records_per_second: int | None = None
    bytes_per_day: int | None = None
    concurrent_searches: int | None = None
    partitions: int | None = None


UNLIMITED: Final = Limits()


def default_limits(settings: Settings) -> Limits:
    """Returns the limits of tenants without limits of their own. A setting of 0 means no limit."""
    return Limits(
        settings.default_bytes_per_second or None,
        settings.default_records_per_second or None,
        settings.default_bytes_per_day or None,
    )


@dataclass(frozen=True, slots=True)
class StoredLimits:
    """Limits of a tenant as the control plane stores them; None means the default, NO_LIMIT no limit."""

    bytes_per_second: int | None = None
    records_per_second: int | None = None
    bytes_per_day: int | None = None
    concurrent_searches: int | None = None
    partitions: int | None = None

    def effective(self, defaults: Limits) -> Limits:
        """Returns the limits that apply to the tenant."""
        return Limits(
            _effective(self.bytes_per_second, defaults.bytes_per_second),
            _effective(self.records_per_second, defaults.records_per_second),
            _effective(self.bytes_per_day, defaults.bytes_per_day),
            _effective(self.concurrent_searches, defaults.concurrent_searches),
            _effective(self.partitions, defaults.partitions),
        )


NOTHING_STORED: Final = StoredLimits()
"""Limits of a tenant that never had any of its own."""


def _effective(stored: int | None, default: int | None) -> int | None:
    return default if stored is None else stored or None


async def read_limits(connection: AsyncConnection, only: Collection[int] | None = None) -> dict[int, StoredLimits]:
    """Reads the stored limits of these tenants, or of all. Tenants that never had any are left out."""
    query = select(
        TenantLimits.tenant_id,
        TenantLimits.bytes_per_second,
        TenantLimits.records_per_second,
        TenantLimits.bytes_per_day,
        TenantLimits.concurrent_searches,
        TenantLimits.partitions,
    )
    if only is not None:
        query = query.where(TenantLimits.tenant_id.in_(only))
    return {found: StoredLimits(*numbers) for found, *numbers in await connection.execute(query)}
