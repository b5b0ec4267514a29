"""Values that operators set for a tenant, in the form in which TenantService takes, stores and notes them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Final

from backend.tenants.bounds import NEVER_UNLIMITED
from schema.control.limits import NO_LIMIT, NOTHING_STORED

DEFAULT_LIMITS: Final[Mapping[str, int | None]] = MappingProxyType({})
"""Limits of a tenant without limits of its own, for which the settings apply."""

NO_LIMITS: Final[Mapping[str, int | None]] = MappingProxyType(
    {"bytes_per_second": None, "records_per_second": None, "bytes_per_day": None}
)
"""Limits of a tenant that may send without bounds."""


@dataclass(frozen=True, slots=True)
class TenantChanges:
    """Changes to a tenant. A number that is None stays unchanged. In `limits`, None removes a limit; limits that are
    not named stay unchanged or, with `replaces_limits`, get their defaults."""

    retention_days: int | None = None
    body_max_bytes: int | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict)
    replaces_limits: bool = False

    @property
    def stored_limits(self) -> dict[str, int | None]:
        """The limits to write, in their stored form."""
        return (asdict(NOTHING_STORED) if self.replaces_limits else {}) | stored(self.limits)


def different(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[dict[str, object], ...]:
    """Returns the values of both mappings whose names have different values, for the audit log."""
    names = [name for name in before if before[name] != after[name]]
    return {name: before[name] for name in names}, {name: after[name] for name in names}


def stored(limits: Mapping[str, int | None]) -> dict[str, int | None]:
    """Returns limits in their stored form. None in one of NEVER_UNLIMITED means its default."""
    return {
        name: NO_LIMIT if number is None and name not in NEVER_UNLIMITED else number for name, number in limits.items()
    }
