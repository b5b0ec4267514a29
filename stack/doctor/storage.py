"""Checks whether the disks stay below their target, and names the tenants whose oldest days will be removed next."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from kit.clock import Clock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.storage import EPOCH, KeptTenant, StorageReport, read_kept_tenants, read_report
from stack.doctor.finding import Finding, Level

WARN_DAYS: Final = 7
"""Number of days until the target is exceeded below which the finding is a warning."""

REPORTS_MISSED: Final = 10
"""Number of intervals without a new report after which the finding is a warning."""

NAMES_SHOWN: Final = 3
_ABOUT: Final = "storage"


def storage_finding(settings: Settings, clock: Clock) -> Finding:
    """Returns a finding by the last report of the loader that examines the disks."""
    report, tenants = asyncio.run(_read(settings))
    if report is None:
        return Finding(_ABOUT, Level.ok, "no loader has examined the disks yet")
    age = (clock.now_ns() - report.examined_at_ns) / 1e9
    if age > REPORTS_MISSED * settings.storage_interval_seconds:
        seen = f"the disks were last examined {age / 60:.0f} minutes ago"
        return Finding(_ABOUT, Level.warn, seen, "read the loaders' logs: one of them examines the disks regularly")
    losing = sorted(
        (part.loss.on, tenants[tenant_id].name)
        for tenant_id, part in report.tenants.items()
        if part.loss is not None and tenant_id in tenants
    )
    return judge_storage(report, [name for _, name in losing], int(clock.now_ns() / 86_400e9))


def judge_storage(report: StorageReport, losing: Sequence[str], today: int) -> Finding:
    """Rates a report. `losing` are the names of tenants that are predicted to lose days, the first to lose first."""
    fullest = max(report.volumes, key=lambda each: each.used_percent)
    seen = f"{fullest.server} uses {fullest.used_percent:.1f} %, the target is {report.target_percent:g} %"
    over = max(report.volumes, key=lambda each: each.over)
    if over.over:
        return Finding(
            _ABOUT,
            Level.warn,
            f"{over.server}: {over.over / 2**30:.1f} GiB above the target of {report.target_percent:g} % cannot be"
            " freed, because no tenant may lose more days",
            "add disk space, remove other files, or lower LOGSIEVE_STORAGE_GUARANTEED_BYTES",
        )
    reached = min((each.target_reached_on for each in report.volumes if each.target_reached_on), default=None)
    if reached is None or reached >= today + WARN_DAYS:
        return Finding(_ABOUT, Level.ok, seen)
    names = ", ".join(losing[:NAMES_SHOWN]) + (", …" if len(losing) > NAMES_SHOWN else "")
    return Finding(
        _ABOUT,
        Level.warn,
        f"{seen} and is exceeded on {EPOCH + timedelta(days=reached)}; tenants that lose days: {names or 'none'}",
        "`logsieve tenant storage` shows which days: add disk space or shorten retentions before then",
    )


async def _read(settings: Settings) -> tuple[StorageReport | None, dict[int, KeptTenant]]:
    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return await read_report(connection), await read_kept_tenants(connection)
