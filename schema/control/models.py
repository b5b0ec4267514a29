"""The control plane's tables. Times are nanoseconds since the Unix epoch, as everywhere in Logsieve."""

from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from schema.control.counter import COUNTER


class Purpose(StrEnum):
    """Purpose of a key. A key has exactly one."""

    ingest = "ingest"
    query = "query"
    admin = "admin"


class Base(DeclarativeBase):
    """Base of all tables. Constraint names are fixed, so that migrations can name them on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Lane(Base):
    """A number n for which every node has a table `logs_<n>`."""

    __tablename__ = "lane"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class TenantRow(Base):
    """A tenant, who owns logs. Its id is part of every row's sorting key and is never used again.

    The row of a deleted tenant stays, under a name that no tenant can have. Its cohorts stay too, because retention
    needs them.
    """

    __tablename__ = "tenant"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(63), unique=True)
    lane: Mapped[int] = mapped_column(ForeignKey("lane.number"))
    """Lane of the tenant's first records. It has moved if one of its cohorts names another lane."""
    body_max_bytes: Mapped[int]
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    deleted_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    kept_from_day: Mapped[int] = mapped_column(server_default="0")
    """First UTC day that the disks let the tenant keep, in days since the Unix epoch; 0 for no limit."""
    revision: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Value of `control_revision.number` after the last change of the tenant or its keys, limits, cohorts or rules."""


class TenantCohort(Base):
    """Lane and cohort of a tenant's records from `since_ns` on. All rows of a tenant together say where its records may
    be.

    A row without a lane keeps the lane of the tenant's previous row; the first row keeps `tenant.lane`.
    """

    __tablename__ = "tenant_cohort"

    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"), primary_key=True)
    since_ns: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    cohort: Mapped[str] = mapped_column(String(32))
    retention_days: Mapped[int]
    lane: Mapped[int | None]


class TenantLimits(Base):
    """Limits of a tenant. NULL means the default; 0 means no limit of bytes or records.

    `partitions` is the number of message keys in Kafka, and was `partitions_before` until `partitions_since_ns`.
    """

    __tablename__ = "tenant_limits"

    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"), primary_key=True)
    bytes_per_second: Mapped[int | None] = mapped_column(BigInteger)
    records_per_second: Mapped[int | None] = mapped_column(BigInteger)
    bytes_per_day: Mapped[int | None] = mapped_column(BigInteger)
    concurrent_searches: Mapped[int | None]
    partitions: Mapped[int | None]
    partitions_before: Mapped[int | None]
    partitions_since_ns: Mapped[int | None] = mapped_column(BigInteger)


class ApiKey(Base):
    """A key. Only its SHA-256 is stored; the text is shown once, when the key is created."""

    __tablename__ = "api_key"
    __table_args__ = (Index("ix_api_key_tenant_id", "tenant_id"),)

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    purpose: Mapped[str] = mapped_column(String(8))
    sha256: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    label: Mapped[str] = mapped_column(String(100))
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    revoked_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    expires_at_ns: Mapped[int | None] = mapped_column(BigInteger)


class ApiKeyUse(Base):
    """Last use of a key, to the minute. A table of its own, because a use does not count as a change of the key."""

    __tablename__ = "api_key_use"

    key_id: Mapped[str] = mapped_column(ForeignKey("api_key.id"), primary_key=True)
    used_at_ns: Mapped[int] = mapped_column(BigInteger)


class AttributeRule(Base):
    """Rule about attributes of one name, or of all names that begin with it. Applied before anything is stored.

    A rule without a tenant applies to the whole installation. `action` is `drop` or `mask`.
    """

    __tablename__ = "attribute_rule"

    id: Mapped[int] = mapped_column(COUNTER, primary_key=True)
    tenant_id: Mapped[int | None] = mapped_column(ForeignKey("tenant.id"))
    pattern: Mapped[str] = mapped_column(String(256))
    is_prefix: Mapped[bool]
    action: Mapped[str] = mapped_column(String(8))
    created_at_ns: Mapped[int] = mapped_column(BigInteger)


class BodyRedaction(Base):
    """A pattern whose matches in bodies are replaced before anything is stored.

    A pattern without a tenant applies to the whole installation. A pattern without an expression is built in under its
    name.
    """

    __tablename__ = "body_redaction"

    id: Mapped[int] = mapped_column(COUNTER, primary_key=True)
    tenant_id: Mapped[int | None] = mapped_column(ForeignKey("tenant.id"))
    name: Mapped[str] = mapped_column(String(64))
    expression: Mapped[str | None] = mapped_column(String(512))
    created_at_ns: Mapped[int] = mapped_column(BigInteger)


class TenantDayUsage(Base):
    """Bytes that a tenant sent on one UTC day, given in days since the Unix epoch. Daily quotas are compared with
    it."""

    __tablename__ = "tenant_day_usage"

    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"), primary_key=True)
    day: Mapped[int] = mapped_column(primary_key=True)
    bytes: Mapped[int] = mapped_column(BigInteger)


class SavedView(Base):
    """A search that a tenant's users saved under a name. At most one view of a tenant is its default.

    `range_start` and `range_end` are times as the web UI writes them, relative to now or absolute. `columns` is a JSON
    array of objects with `field` and `width`. The authors are names of actors, as in the audit log.
    """

    __tablename__ = "saved_view"
    __table_args__ = (UniqueConstraint("tenant_id", "name"),)

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    name: Mapped[str] = mapped_column(String(100))
    folder: Mapped[str] = mapped_column(String(100))
    query: Mapped[str] = mapped_column(Text)
    range_start: Mapped[str] = mapped_column(String(64))
    range_end: Mapped[str] = mapped_column(String(64))
    sort_order: Mapped[str] = mapped_column(String(4))
    columns: Mapped[str] = mapped_column(Text)
    chart_by: Mapped[str | None] = mapped_column(String(1000))
    chart_kind: Mapped[str | None] = mapped_column(String(8))
    is_default: Mapped[bool]
    revision: Mapped[int]
    """Number of times that the view was saved. A change names the revision that it replaces."""
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(255))
    changed_at_ns: Mapped[int] = mapped_column(BigInteger)
    changed_by: Mapped[str] = mapped_column(String(255))


class Dashboard(Base):
    """A dashboard: saved views on a grid, over one range of time. `panels` is a JSON array of
    backend.dashboards.content.Panel."""

    __tablename__ = "dashboard"
    __table_args__ = (UniqueConstraint("tenant_id", "name"),)

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    name: Mapped[str] = mapped_column(String(100))
    range_start: Mapped[str] = mapped_column(String(64))
    range_end: Mapped[str] = mapped_column(String(64))
    refresh_seconds: Mapped[int | None]
    panels: Mapped[str] = mapped_column(Text)
    revision: Mapped[int]
    """Number of times that the dashboard was saved. A change names the revision that it replaces."""
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(255))
    changed_at_ns: Mapped[int] = mapped_column(BigInteger)
    changed_by: Mapped[str] = mapped_column(String(255))


class ControlRevision(Base):
    """Number of changes of tenants, keys, limits, cohorts and rules. The table has one row, which triggers update.

    `installation` is the number of the last change that concerns all tenants.
    """

    __tablename__ = "control_revision"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(BigInteger)
    installation: Mapped[int] = mapped_column(BigInteger)


class AuditEntry(Base):
    """One change of the control plane: its author, the client address, and the values before and after as JSON objects.

    The tenant's name is its name at that time. `actor_tenant_id` is the tenant of the key by which the change was made.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (
        Index("ix_audit_entry_tenant_id", "tenant_id", "id"),
        Index("ix_audit_entry_at_ns", "at_ns"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(COUNTER, primary_key=True)
    at_ns: Mapped[int] = mapped_column(BigInteger)
    action: Mapped[str] = mapped_column(String(32))
    tenant_id: Mapped[int | None]
    tenant: Mapped[str | None] = mapped_column(String(63))
    actor: Mapped[str] = mapped_column(String(255))
    actor_tenant_id: Mapped[int | None]
    address: Mapped[str | None] = mapped_column(String(64))
    before: Mapped[str] = mapped_column(Text)
    after: Mapped[str] = mapped_column(Text)


class StorageReportRow(Base):
    """The last report on the disks of the log store: the JSON of schema.control.storage.StorageReport. The table has at
    most one row."""

    __tablename__ = "storage_report"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    report: Mapped[str] = mapped_column(Text)


class Lease(Base):
    """A job that only one process may do at a time: its holder, and when the lease expires unless it is renewed."""

    __tablename__ = "lease"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    holder: Mapped[str] = mapped_column(String(64))
    until_ns: Mapped[int] = mapped_column(BigInteger)


class TenantErasure(Base):
    """Progress of the erasure of a deleted tenant in one replica of the log store, which is named by the consumer group
    of its loaders.

    `ends` are the end offsets of Kafka's partitions, as JSON. Once loaders have passed them, nothing of the tenant can
    arrive any more. `progress` is the JSON of schema.control.erasures.Progress; its last state proves the end.
    """

    __tablename__ = "tenant_erasure"

    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"), primary_key=True)
    store: Mapped[str] = mapped_column(String(100), primary_key=True)
    ends: Mapped[str | None] = mapped_column(Text)
    erased_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    progress: Mapped[str | None] = mapped_column(Text)
