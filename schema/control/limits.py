"""Limits of a tenant, as the control plane keeps them and as they are in force."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.settings import Settings
from schema.control.models import TenantLimits

NO_LIMIT: Final = 0
"""Stored value of a limit that was removed for a tenant, so that the default does not apply."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of what a tenant may send to the whole installation; None where it has no such limit. A day is a UTC day.

    `concurrent_searches` is for each backend; None there means the setting's. As stored, None means the default, and
    NO_LIMIT means that there is no limit: `effective` makes the limits in force of them.
    """

    bytes_per_second: int | None = None
    records_per_second: int | None = None
    bytes_per_day: int | None = None
    concurrent_searches: int | None = None


UNLIMITED: Final = Limits()


def default_limits(settings: Settings) -> Limits:
    """Returns the limits of tenants that have none of their own; a setting of 0 means that there is no limit."""
    return Limits(
        settings.default_bytes_per_second or None,
        settings.default_records_per_second or None,
        settings.default_bytes_per_day or None,
    )


def effective(stored: Limits, defaults: Limits) -> Limits:
    """Returns the limits in force of a tenant with these stored ones."""
    return Limits(
        _effective(stored.bytes_per_second, defaults.bytes_per_second),
        _effective(stored.records_per_second, defaults.records_per_second),
        _effective(stored.bytes_per_day, defaults.bytes_per_day),
        _effective(stored.concurrent_searches, defaults.concurrent_searches),
    )


def _effective(stored: int | None, default: int | None) -> int | None:
    return default if stored is None else stored or None


async def read_limits(connection: AsyncConnection, only: Collection[int] | None = None) -> dict[int, Limits]:
    """Reads the stored limits of these tenants, or of all. A tenant that never had any is not in the answer."""
    query = select(
        TenantLimits.tenant_id,
        TenantLimits.bytes_per_second,
        TenantLimits.records_per_second,
        TenantLimits.bytes_per_day,
        TenantLimits.concurrent_searches,
    )
    if only is not None:
        query = query.where(TenantLimits.tenant_id.in_(only))
    return {found: Limits(*numbers) for found, *numbers in await connection.execute(query)}
