"""Erasures of deleted tenants in the control plane: pending ones, their progress, and the proof of finished ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from schema.control.models import AuditEntry, TenantErasure, TenantRow
from schema.control.upsert import upsert


class Phase(StrEnum):
    """Phases of an erasure, in their order."""

    waiting = "waiting"  # until receivers no longer accept records of the tenant
    loading = "loading"  # until loaders have passed the messages that were in Kafka at the end of that time
    deleting = "deleting"  # until no part of any table has a row of the tenant
    removing = "removing"  # until ClickHouse has removed the files of the parts that were replaced
    erased = "erased"


class Ends(BaseModel):
    """End offset of each partition of a topic, read when no more messages of the tenant could arrive."""

    model_config = ConfigDict(frozen=True)

    topic_id: str
    offsets: Mapping[int, int]


class Progress(BaseModel):
    """Progress of an erasure.

    `found` counts rows or dead letters by place before the erasure, `left` counts the remaining ones. `clean_at` has
    for each shard the time from which its tables had no row left, in Unix seconds by the clock of its server.
    """

    model_config = ConfigDict(frozen=True)

    phase: Phase = Phase.waiting
    detail: str = ""
    found: Mapping[str, int] = Field(default_factory=dict)
    left: Mapping[str, int] = Field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    clean_at: Mapping[int, int] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Erasure:
    """Erasure of one deleted tenant in one store. `name` is the tenant's name before it was deleted."""

    tenant_id: int
    name: str
    deleted_at_ns: int
    store: str
    ends: Ends | None
    progress: Progress
    erased_at_ns: int | None

    @classmethod
    def of_row(cls, row: Sequence[Any], store: str) -> Self:
        tenant_id, name, deleted_at_ns, ends, progress, erased_at_ns, former = row
        return cls(
            tenant_id=tenant_id,
            # The audit log may be kept for a shorter time than the rows of deleted tenants.
            name=former or name,
            deleted_at_ns=deleted_at_ns,
            store=store,
            ends=None if ends is None else Ends.model_validate_json(ends),
            progress=Progress() if progress is None else Progress.model_validate_json(progress),
            erased_at_ns=erased_at_ns,
        )


async def read_erasures(connection: AsyncConnection, store: str, *, unfinished_only: bool = False) -> list[Erasure]:
    """Returns the erasures of all deleted tenants in one store, including those not started; the latest deletion first.

    Raises SQLAlchemyError while the control plane is unreachable.
    """
    former = (
        select(func.max(AuditEntry.tenant))
        .where(AuditEntry.tenant_id == TenantRow.id, AuditEntry.action == "tenant.delete")
        .scalar_subquery()
    )
    query = (
        select(
            TenantRow.id,
            TenantRow.name,
            TenantRow.deleted_at_ns,
            TenantErasure.ends,
            TenantErasure.progress,
            TenantErasure.erased_at_ns,
            former,
        )
        .join(TenantErasure, (TenantErasure.tenant_id == TenantRow.id) & (TenantErasure.store == store), isouter=True)
        .where(TenantRow.deleted_at_ns.is_not(None))
        .order_by(TenantRow.deleted_at_ns.desc(), TenantRow.id.desc())
    )
    if unfinished_only:
        query = query.where(TenantErasure.erased_at_ns.is_(None))
    return [Erasure.of_row(row, store) for row in await connection.execute(query)]


async def read_deleted(connection: AsyncConnection) -> frozenset[int]:
    """Returns the ids of all tenants that were ever deleted."""
    return frozenset(await connection.scalars(select(TenantRow.id).where(TenantRow.deleted_at_ns.is_not(None))))


async def save_progress(
    connection: AsyncConnection,
    erasure: Erasure,
    progress: Progress,
    ends: Ends | None,
    erased_at_ns: int | None = None,
) -> None:
    """Writes the progress of an erasure. With `erased_at_ns`, the erasure is finished and not checked again."""
    values = {
        "ends": None if ends is None else ends.model_dump_json(),
        "progress": progress.model_dump_json(),
        "erased_at_ns": erased_at_ns,
    }
    await connection.execute(
        upsert(connection, TenantErasure)
        .values(tenant_id=erasure.tenant_id, store=erasure.store, **values)
        .on_conflict_do_update(index_elements=[TenantErasure.tenant_id, TenantErasure.store], set_=values)
    )


async def erase_again(engine: AsyncEngine, store: str) -> None:
    """Marks the finished erasures of a store as not finished, so that all of them are done and proved once more."""
    async with engine.begin() as connection:
        await connection.execute(delete(TenantErasure).where(TenantErasure.store == store))
