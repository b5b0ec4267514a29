"""Makes the report on the disks, and decides which tenants lose which days, from measured volumes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from ingest.storage.forecast import Forecast, Loss, daily_bytes, forecast
from ingest.storage.measure import TenantBytes, Volume
from ingest.storage.plan import Days, Plan, Rules, plan, without_removed
from kit.settings import Settings
from schema.control.storage import KeptTenant, PredictedLoss, StorageReport, TenantStorage, VolumeStorage

_NO_LIMIT: Final = 2**62
"""Bytes that logs may take on a volume without a known size."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A server of one shard and replica: its URL, its volume, and the bytes of tenants on it."""

    url: str
    shard: int
    volume: Volume
    stored: TenantBytes


@dataclass(frozen=True, slots=True)
class Situation:
    """All servers that answered, the tenants of the control plane, and the current UTC day since the Unix epoch."""

    servers: Sequence[Measured]
    tenants: Mapping[int, KeptTenant]
    settings: Settings
    today: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The report, and the first day that each tenant keeps, for tenants that lose days now."""

    report: StorageReport
    kept_from: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A server with its plan. `used_share` is the used part of its volume without bytes that are about to be freed."""

    server: Measured
    stored: Mapping[int, Days]
    gone: int
    used_share: float
    plan: Plan
    forecast: Forecast


def decide(situation: Situation, now_ns: int) -> Decision:
    """Returns the decision at `now_ns`, in nanoseconds since the Unix epoch.

    Each server is planned by itself, and a tenant keeps only the days that all servers let it keep. A replica that is
    being filled, lags or has a larger volume therefore hides no full one. Sums of the report count one replica of each
    shard: the one with the fullest volume.
    """
    settings = situation.settings
    gone = {server.url: _gone(server, situation.tenants) for server in situation.servers}
    planned = [_plan(situation, server, gone) for server in situation.servers]
    kept_from: dict[int, int] = {}
    for each in planned:
        for tenant, day in each.plan.kept_from.items():
            kept_from[tenant] = max(day, kept_from.get(tenant, 0))
    shown, losses = _fullest(planned), _first_losses(planned)
    report = StorageReport(
        examined_at_ns=now_ns,
        target_percent=settings.storage_target_percent,
        guaranteed=settings.storage_guaranteed_bytes,
        volumes=tuple(_volume_storage(each) for each in planned),
        tenants={
            tenant: _tenant_storage(tenant, shown, losses.get(tenant, ()), situation.today)
            for tenant in situation.tenants
        },
    )
    return Decision(report, kept_from)


def _fullest(planned: Sequence[_Planned]) -> list[_Planned]:
    """Returns one replica of each shard: the one with the fullest volume. If several are equally full, it is the one
    with the most bytes of logs."""
    fullest = dict[int, _Planned]()
    for each in sorted(planned, key=lambda each: (each.used_share, _sum(each.stored))):
        fullest[each.server.shard] = each
    return list(fullest.values())


def _first_losses(planned: Sequence[_Planned]) -> Mapping[int, list[Loss]]:
    """Returns the first predicted losses of each tenant, one for each shard where it loses days.

    The loss of a shard is the earliest one that any of its replicas predicts. If several are on the same day, it is the
    one that reaches furthest.
    """
    first = dict[tuple[int, int], Loss]()
    for each in planned:
        for tenant, loss in each.forecast.losses.items():
            key = tenant, each.server.shard
            first[key] = min(loss, first.get(key, loss), key=lambda loss: (loss.on, -loss.last_day))
    found = defaultdict[int, list[Loss]](list)
    for (tenant, _), loss in first.items():
        found[tenant].append(loss)
    return found


def _plan(situation: Situation, server: Measured, gone: Mapping[str, int]) -> _Planned:
    """Plans one server. `gone` has the result of `_gone` for each server, by URL."""
    settings, tenants, today = situation.settings, situation.tenants, situation.today
    known = {tenant: days for tenant, days in server.stored.items() if tenant in tenants}
    stored = {tenant: without_removed(days, tenants[tenant].kept_from_day) for tenant, days in known.items()}
    kept = _sum(stored)
    target = settings.storage_target_percent / 100 * server.volume.total
    # If several servers share a volume, each of them makes room only for its own part of the logs.
    beside = [each for each in situation.servers if _shares_volume(each, server)]
    freed_later = sum(each.volume.removing + gone[each.url] for each in beside)
    used = server.volume.total - server.volume.free - freed_later
    on_volume = sum(_sum(each.stored) for each in beside)
    part = _sum(server.stored) / on_volume if on_volume and len(beside) > 1 else 1.0
    budget = int(kept + (target - max(0, used)) * part) if server.volume.total else _NO_LIMIT
    rules = Rules(settings.storage_guaranteed_bytes, today - settings.storage_guaranteed_days + 1)
    retention = {tenant: tenants[tenant].retention_days for tenant in stored}
    return _Planned(
        server,
        stored,
        gone[server.url],
        used / server.volume.total if server.volume.total else 0.0,
        plan(stored, budget, rules),
        forecast(stored, retention, budget, rules, today),
    )


def _gone(server: Measured, tenants: Mapping[int, KeptTenant]) -> int:
    """Returns the bytes of days that tenants do not keep any more and that are still on the server."""
    known = {tenant: days for tenant, days in server.stored.items() if tenant in tenants}
    return _sum(known) - _sum(
        {each: without_removed(days, tenants[each].kept_from_day) for each, days in known.items()}
    )


def _sum(stored: Mapping[int, Days]) -> int:
    return sum(sum(days.values()) for days in stored.values())


def _shares_volume(one: Measured, other: Measured) -> bool:
    """Returns whether two servers are on one machine with volumes of one size, which are then taken for one volume."""
    same_machine = urlsplit(one.url).hostname == urlsplit(other.url).hostname
    return same_machine and one.volume.total == other.volume.total


def _volume_storage(planned: _Planned) -> VolumeStorage:
    volume = planned.server.volume
    return VolumeStorage(
        server=planned.server.url,
        total=volume.total,
        used=volume.total - volume.free,
        logs=_sum(planned.server.stored),
        freed_later=volume.removing + planned.gone,
        over=planned.plan.over,
        target_reached_on=planned.forecast.target_reached_on,
    )


def _tenant_storage(tenant: int, shown: Sequence[_Planned], losses: Sequence[Loss], today: int) -> TenantStorage:
    found = [each for each in shown if tenant in each.stored]
    first_days = [min(each.stored[tenant]) for each in found if each.stored[tenant]]
    return TenantStorage(
        bytes=sum(sum(each.stored[tenant].values()) for each in found),
        share=sum(each.plan.shares[tenant] for each in found),
        daily=sum(daily_bytes(each.stored[tenant], today) for each in found),
        first_day=min(first_days, default=None),
        loss=_earliest(losses),
    )


def _earliest(losses: Sequence[Loss]) -> PredictedLoss | None:
    """Returns the first loss of a tenant. Losses of several shards on one day are one loss."""
    by_day = defaultdict[int, list[Loss]](list)
    for each in losses:
        by_day[each.on].append(each)
    if not by_day:
        return None
    on, first = min(by_day.items())
    return PredictedLoss(
        on=on,
        first_day=min(each.first_day for each in first),
        last_day=max(each.last_day for each in first),
        bytes=sum(each.size for each in first),
    )
