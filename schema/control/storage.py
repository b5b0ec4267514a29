"""Report on the disks of the log store in the control plane, and the first day that each tenant keeps.

The loader that holds the lease writes both; commands, the API and the doctor read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from pydantic import BaseModel, ConfigDict
from sqlalchemy import select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from schema.control.changes import Change
from schema.control.models import StorageReportRow, TenantCohort, TenantRow
from schema.control.upsert import upsert

EPOCH: Final = date(1970, 1, 1)
"""Day from which days are counted."""


class PredictedLoss(BaseModel):
    """Days that a tenant is predicted to lose first: on the day `on`, those from `first_day` to `last_day`, inclusive.

    Days are counted since the Unix epoch. `bytes` are bytes on disk.
    """

    model_config = ConfigDict(frozen=True)

    on: int
    first_day: int
    last_day: int
    bytes: int


class TenantStorage(BaseModel):
    """Bytes on disk of a tenant in one replica of every shard: stored now, its fair share, and stored per day lately.

    It is the replica with the fullest volume. `loss` is the first loss on any server.
    `first_day` is the oldest day with records, in days since the Unix epoch; None without records.
    """

    model_config = ConfigDict(frozen=True)

    bytes: int
    share: int
    daily: int
    first_day: int | None
    loss: PredictedLoss | None = None


class VolumeStorage(BaseModel):
    """Use of a server's volume in bytes. `freed_later` are bytes of files that ClickHouse is about to remove, and
    `over` is what remains above the target after all allowed removals."""

    model_config = ConfigDict(frozen=True)

    server: str
    total: int
    used: int
    logs: int
    freed_later: int
    over: int
    target_reached_on: int | None = None

    @property
    def used_percent(self) -> float:
        return 100 * self.used / self.total if self.total else 0.0


class StorageReport(BaseModel):
    """State of the disks at `examined_at_ns`, in nanoseconds since the Unix epoch. Tenants are given by their ids."""

    model_config = ConfigDict(frozen=True)

    examined_at_ns: int
    target_percent: float
    guaranteed: int
    volumes: tuple[VolumeStorage, ...]
    tenants: Mapping[int, TenantStorage]


@dataclass(frozen=True, slots=True)
class KeptTenant:
    """Name of a tenant, its largest retention in days, and the first day that the disks let it keep; 0 for no limit."""

    name: str
    retention_days: int
    kept_from_day: int


async def read_report(connection: AsyncConnection) -> StorageReport | None:
    """Returns the last report; None before the first."""
    text = await connection.scalar(select(StorageReportRow.report))
    return None if text is None else _parsed(text)


@lru_cache(maxsize=1)
def _parsed(text: str) -> StorageReport:
    """Returns the report of this JSON. Keeps the last one, because it has all tenants, and parsing 10,000 of them for
    each request of one tenant would stop an API process for tens of milliseconds."""
    return StorageReport.model_validate_json(text)


async def save_report(connection: AsyncConnection, report: StorageReport) -> None:
    text = report.model_dump_json()
    await connection.execute(
        upsert(connection, StorageReportRow)
        .values(id=1, report=text)
        .on_conflict_do_update(index_elements=[StorageReportRow.id], set_={"report": text})
    )


async def read_kept_tenants(connection: AsyncConnection, tenant_id: int | None = None) -> dict[int, KeptTenant]:
    """Returns all tenants that are not deleted, or one of them, by id."""
    among = true() if tenant_id is None else TenantRow.id == tenant_id
    rows = await connection.execute(
        select(TenantRow.id, TenantRow.name, TenantRow.kept_from_day, TenantCohort.retention_days)
        .join(TenantCohort, TenantCohort.tenant_id == TenantRow.id)
        .where(TenantRow.deleted_at_ns.is_(None), among)
    )
    found = dict[int, KeptTenant]()
    for tenant_id, name, kept_from_day, days in rows:
        longest = max(days, found[tenant_id].retention_days) if tenant_id in found else days
        found[tenant_id] = KeptTenant(name, longest, kept_from_day)
    return found


async def read_kept_from(engine: AsyncEngine) -> dict[int, int]:
    """Returns the first day that each tenant keeps, for tenants whose days the disks limit. Includes deleted ones."""
    query = select(TenantRow.id, TenantRow.kept_from_day).where(TenantRow.kept_from_day > 0)
    async with engine.connect() as connection:
        return {row.id: row.kept_from_day for row in await connection.execute(query)}


async def keep_from(change: Change, tenant_id: int, tenant: KeptTenant, day: int) -> None:
    """Lets a tenant keep its records only from `day` on. The day never goes back, because earlier records are gone."""
    if day <= tenant.kept_from_day:
        return
    changed = await change.connection.execute(
        update(TenantRow).where(TenantRow.id == tenant_id, TenantRow.kept_from_day < day).values(kept_from_day=day)
    )
    if not changed.rowcount:  # Another process has changed the day since `tenant` was read.
        return
    before, after = ({"kept_from": _iso(each)} for each in (tenant.kept_from_day, day))
    await change.note("tenant.storage", (tenant_id, tenant.name), before, after)


def _iso(day: int) -> str | None:
    return (EPOCH + timedelta(days=day)).isoformat() if day else None
