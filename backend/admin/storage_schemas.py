"""JSON models of the report on the disks, for the API and for `logsieve tenant storage --json`."""

from datetime import date, timedelta

from pydantic import BaseModel, Field

from backend.tenants.storage import ShownStorage, ShownTenant
from backend.times import format_time
from schema.control.storage import EPOCH, PredictedLoss, VolumeStorage


class LossBody(BaseModel):
    """Days that the tenant is predicted to lose first."""

    on: date = Field(description="UTC day on which the lost days are removed.")
    first_day: date = Field(description="First of the days, inclusive.")
    last_day: date = Field(description="Last of the days, inclusive.")
    bytes: int = Field(description="Bytes on disk of these days.")


class TenantStorageBody(BaseModel):
    tenant: str
    stored_bytes: int = Field(description="Estimated bytes on disk in one replica of every shard.")
    share_bytes: int = Field(description="Fair share: the most that the tenant keeps where a disk exceeds its target.")
    daily_bytes: int = Field(description="Mean bytes on disk of the last seven complete UTC days.")
    oldest_day: date | None = Field(description="Oldest UTC day with records; null without records.")
    kept_from: date | None = Field(
        description="First UTC day that the disks let the tenant keep. Earlier records are removed and refused. Null "
        "if only the retention limits the tenant."
    )
    predicted_loss: LossBody | None = Field(description="Null if no loss is predicted within 30 days.")


class VolumeBody(BaseModel):
    server: str
    total_bytes: int = Field(description="0 if the cold volume has no known size, for example S3.")
    used_bytes: int
    used_percent: float
    log_bytes: int = Field(description="Bytes of the tenants' records and of the counts of their fields.")
    freed_later_bytes: int = Field(description="Bytes of files that ClickHouse removes within minutes.")
    over_bytes: int = Field(description="Bytes above the target that no tenant may lose.")
    target_reached_on: date | None = Field(
        description="UTC day on which the target is predicted to be exceeded, within 30 days; null for none."
    )


class StorageBody(BaseModel):
    """The last report. Before the first one, its members are null and all sizes 0."""

    examined_at: str | None = Field(
        description="Time at which a loader examined the disks; null before the first time."
    )
    target_percent: float | None
    guaranteed_bytes: int | None = Field(description="Bytes that every tenant keeps on a shard whose volume is full.")
    volumes: list[VolumeBody] = Field(
        description="The fullest volume of each server, or its hot and cold volumes together. Only operators see them."
    )
    tenants: list[TenantStorageBody]


def storage_body(shown: ShownStorage) -> StorageBody:
    report = shown.report
    return StorageBody(
        examined_at=None if report is None else format_time(report.examined_at_ns),
        target_percent=None if report is None else report.target_percent,
        guaranteed_bytes=None if report is None else report.guaranteed,
        volumes=[] if report is None else [_volume(each) for each in report.volumes],
        tenants=[_tenant(each) for each in shown.tenants],
    )


def _volume(volume: VolumeStorage) -> VolumeBody:
    return VolumeBody(
        server=volume.server,
        total_bytes=volume.total,
        used_bytes=volume.used,
        used_percent=round(volume.used_percent, 1),
        log_bytes=volume.logs,
        freed_later_bytes=volume.freed_later,
        over_bytes=volume.over,
        target_reached_on=_day(volume.target_reached_on),
    )


def _tenant(shown: ShownTenant) -> TenantStorageBody:
    storage = shown.storage
    return TenantStorageBody(
        tenant=shown.tenant.name,
        stored_bytes=0 if storage is None else storage.bytes,
        share_bytes=0 if storage is None else storage.share,
        daily_bytes=0 if storage is None else storage.daily,
        oldest_day=None if storage is None else _day(storage.first_day),
        kept_from=_day(shown.tenant.kept_from_day or None),
        predicted_loss=None if storage is None or storage.loss is None else _loss(storage.loss),
    )


def _loss(loss: PredictedLoss) -> LossBody:
    days = (EPOCH + timedelta(days=each) for each in (loss.on, loss.first_day, loss.last_day))
    on, first_day, last_day = days
    return LossBody(on=on, first_day=first_day, last_day=last_day, bytes=loss.bytes)


def _day(day: int | None) -> date | None:
    return None if day is None else EPOCH + timedelta(days=day)
