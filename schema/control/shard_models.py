"""The control plane's tables about shards of the log store."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from schema.control.models import Base


class TenantShard(Base):
    """A shard that has, or had, rows of a tenant. Loaders write it before they insert the tenant's first row there.

    The shard EVERY_SHARD of schema.control.tenant_shards stands for all of them.
    """

    __tablename__ = "tenant_shard"

    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"), primary_key=True)
    shard: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Shard(Base):
    """A shard for which loaders may write `tenant_shard`. `logsieve migrate` adds it after it has recorded every shard
    for tenants whose rows may be anywhere."""

    __tablename__ = "shard"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
