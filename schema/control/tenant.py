"""Tenants and keys in the form that requests need."""

from dataclasses import dataclass

from schema.attribute_rules import NO_RULES, TenantRules
from schema.control.limits import UNLIMITED, Limits
from schema.control.models import Purpose
from schema.control.tenant_lanes import TenantLanes
from schema.tenant_partitions import UNCHANGED, Ways


@dataclass(frozen=True, slots=True)
class Tenant:
    """Lanes and cohorts of a tenant's records, and its limits. `cohort` is the cohort of new records."""

    id: int
    name: str
    lanes: TenantLanes
    cohort: str
    cohorts: tuple[str, ...]
    """Cohorts that may have records of the tenant. Empty if every cohort may."""
    retention_days: int
    """Days that newly arriving records are kept."""
    body_max_bytes: int
    limits: Limits = UNLIMITED
    attribute_rules: TenantRules = NO_RULES
    longest_retention_days: int = 0
    """Largest retention, in days, that the tenant has ever had. Older records stay findable for that long after a
    tenant shortens its retention."""
    shards: frozenset[int] = frozenset()
    """Recorded shards that have, or had, rows of the tenant. Has EVERY_SHARD of schema.control.tenant_shards if every
    other shard may have rows, too. Empty if nothing is recorded."""
    kept_from_day: int = 0
    """First UTC day that the disks let the tenant keep, in days since the Unix epoch; 0 for no limit."""
    ways: Ways = UNCHANGED
    """Number of keys in Kafka that the tenant's messages may have."""

    @property
    def lane(self) -> int:
        """The lane of the tenant's new records."""
        return self.lanes.current


@dataclass(frozen=True, slots=True)
class Grant:
    """Tenant and purpose of a valid key. `expires_at_ns` is the time when the key expires, None if it never does."""

    tenant: Tenant
    purpose: Purpose
    key_id: str
    expires_at_ns: int | None = None
