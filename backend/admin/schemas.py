"""JSON models of tenants and keys."""

import dataclasses
import math

from pydantic import BaseModel, Field

from backend.logs.parameters import Time
from backend.strict_body import KnownMembers, StrictBody
from backend.tenants.bounds import MAX_LABEL
from backend.tenants.changes import TenantChanges
from backend.tenants.key_repository import KeyInfo
from backend.tenants.repository import TenantInfo
from backend.tenants.service import DEFAULT_RETENTION_DAYS
from backend.times import format_optional_time, format_time
from schema.control.models import Purpose
from schema.control.tenant_lanes import ANNOUNCE_NS


class LimitsBody(KnownMembers):
    """Limits of a tenant. Null means no limit; for `concurrent_searches`, it means the installation's setting, for
    `partitions` the default of 4."""

    bytes_per_second: int | None = None
    records_per_second: int | None = None
    bytes_per_day: int | None = None
    concurrent_searches: int | None = None
    partitions: int | None = Field(
        None,
        description="Topic partitions that the tenant's messages may use, 1 to 16. Receivers use more of them a minute "
        "after the change.",
    )


class NewTenant(StrictBody):
    name: str = Field(description="1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or _.")
    retention_days: int = DEFAULT_RETENTION_DAYS
    body_max_bytes: int | None = Field(
        None, description="Largest size of a stored body, in bytes; the installation's setting if left out."
    )
    lane: int | None = Field(
        None, description="Number of the lane (log table) of its records; picked by the name if left out."
    )


class TenantPatch(KnownMembers):
    """Changes to a tenant. A field that is left out keeps its value."""

    retention_days: int | None = None
    body_max_bytes: int | None = None
    limits: LimitsBody | None = Field(
        None, description="Limits that are left out stay unchanged. Null removes a limit."
    )

    def changes(self) -> TenantChanges:
        limits = {} if self.limits is None else self.limits.model_dump(exclude_unset=True)
        return TenantChanges(self.retention_days, self.body_max_bytes, limits)


class AdminTenant(BaseModel):
    name: str
    lane: int = Field(description="Lane that was set last, for records that arrive 15 s after the change or later.")
    cohort: str = Field(description="Cohort that was set last, for records that arrive 15 s after the change or later.")
    cohort_in_force: str = Field(description="Cohort of records that arrive now.")
    retention_days: int = Field(
        description="Retention that was set last, for records that arrive 15 s after the change or later."
    )
    body_max_bytes: int
    created_at: str
    limits: LimitsBody


class ChangedTenant(AdminTenant):
    effective_within_seconds: int = Field(description="Seconds until every process applies the changes.")


class AdminTenants(BaseModel):
    tenants: list[AdminTenant]


class KeyRequest(StrictBody):
    purpose: Purpose
    label: str = Field("", description=f"Free text that lists of keys show, at most {MAX_LABEL} characters.")
    expires_at: Time = Field(
        None,
        description="Time from which the key is refused, in RFC 3339 or integer nanoseconds since 1970; never if left "
        "out.",
    )


class KeyPatch(StrictBody):
    label: str = Field(description=f"New label, at most {MAX_LABEL} characters. An empty one removes the label.")


class CreatedKey(BaseModel):
    id: str
    tenant: str
    purpose: Purpose
    key: str = Field(description="Text of the key. It is shown only in this answer.")


class AdminKey(BaseModel):
    id: str
    tenant: str
    purpose: Purpose
    label: str
    created_at: str
    revoked_at: str | None
    expires_at: str | None
    last_used_at: str | None = Field(
        description="Time of the last use, rounded to a minute and up to a minute late; null for no use."
    )


class AdminKeys(BaseModel):
    keys: list[AdminKey]


def tenant_body(tenant: TenantInfo) -> AdminTenant:
    return AdminTenant(
        name=tenant.name,
        lane=tenant.lane,
        cohort=tenant.cohort,
        cohort_in_force=tenant.cohort_in_force,
        retention_days=tenant.retention_days,
        body_max_bytes=tenant.body_max_bytes,
        created_at=format_time(tenant.created_at_ns),
        limits=LimitsBody(**dataclasses.asdict(tenant.limits)),
    )


def changed_body(tenant: TenantInfo, changes: TenantChanges, refresh_seconds: float) -> ChangedTenant:
    """Returns a changed tenant. Processes read the control plane every `refresh_seconds`.

    A new retention begins ANNOUNCE_NS after the change. Receivers notice that it has begun when they next read.
    """
    seconds = refresh_seconds if changes.retention_days is None else refresh_seconds + ANNOUNCE_NS / 10**9
    return ChangedTenant(**dict(tenant_body(tenant)), effective_within_seconds=math.ceil(seconds))


def key_body(key: KeyInfo) -> AdminKey:
    return AdminKey(
        id=key.id,
        tenant=key.tenant,
        purpose=key.purpose,
        label=key.label,
        created_at=format_time(key.created_at_ns),
        revoked_at=format_optional_time(key.revoked_at_ns),
        expires_at=format_optional_time(key.expires_at_ns),
        last_used_at=format_optional_time(key.last_used_at_ns),
    )
