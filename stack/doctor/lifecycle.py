"""Checks that expired data is deleted, and that clocks and schemas agree."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from math import inf

from clickhouse_connect.driver.client import Client

from ingest.retention.every_shard import drop_everywhere
from kit.clock import CLOCKS_APART, Clock
from kit.errors import Conflict
from kit.settings import Settings
from schema.control.database import opened
from schema.control.erasures import Erasure, read_erasures
from schema.drift import Drift
from stack.doctor.finding import Bounds, Finding, Level, graded, of_replica


def clock_finding(client: Client, clock: Clock) -> Finding:
    """Compares the server's clock with ours. The difference includes the time that the request takes."""
    theirs_ns = int(client.query("SELECT toUnixTimestamp64Nano(now64(9))").result_rows[0][0])
    return judge_clock(timedelta(microseconds=abs(clock.now_ns() - theirs_ns) / 1000))


def judge_clock(apart: timedelta) -> Finding:
    seen = f"ClickHouse's clock differs from this machine's by {apart.total_seconds():.3f} s"
    bounds = Bounds(2, CLOCKS_APART.total_seconds(), "run an NTP client on both machines")
    return graded("clocks", apart.total_seconds(), bounds, seen)


def retention_findings(settings: Settings, clock: Clock) -> list[Finding]:
    """Rates the number of partitions that the next run of retention would drop. Loaders run retention, so many such
    partitions mean that no loader runs it.
    """
    about = f"retention{of_replica(settings)}"
    try:
        outcome = drop_everywhere([settings], clock, dry_run=True)
    except Conflict as error:
        return [Finding(about, Level.fail, error.detail, "set both clocks, for example by NTP")]
    waiting = len(outcome.dropped)
    seen = f"{waiting} partitions are past their retention"
    bounds = Bounds(1, inf, "read the loaders' logs; `logsieve retention run` drops them now")
    findings = [graded(about, waiting, bounds, seen)]
    if outcome.unknown:
        cohorts = ", ".join(outcome.unknown)
        findings.append(
            Finding(
                about,
                Level.warn,
                f"the control plane has no retention for cohorts {cohorts}, so their logs are never deleted",
                "if the control plane was restored from a backup, run `logsieve tenant erasures --again`",
            )
        )
    return findings


def erasure_finding(settings: Settings, clock: Clock) -> Finding:
    """Checks that deleted tenants are erased in time.

    Loaders erase them, so an unfinished erasure of an old deletion means that something blocks the loaders.
    """
    return judge_erasures(asyncio.run(_unfinished(settings)), clock.now_ns(), of_replica(settings))


def judge_erasures(unfinished: Sequence[Erasure], now_ns: int, where: str = "") -> Finding:
    """Judges the erasures of one replica of the store by the oldest one. `where` names the replica."""
    hours = max((now_ns - each.deleted_at_ns for each in unfinished), default=0) / 3.6e12
    seen = f"{len(unfinished)} deleted tenants are not erased yet" + (
        f", the oldest for {hours:.1f} h" if unfinished else ""
    )
    return graded(f"erasure{where}", hours, Bounds(1, 24, "`logsieve tenant erasures` shows the reason for each"), seen)


async def _unfinished(settings: Settings) -> list[Erasure]:
    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return await read_erasures(connection, settings.consumer_group, unfinished_only=True)


def judge_schema(drifts: Sequence[Drift]) -> Finding:
    """Checks that the databases have the schema that the code expects."""
    if not drifts:
        return Finding("schema", Level.ok, "the databases have the schema of this release")
    where = ", ".join(sorted({drift.where for drift in drifts}))
    return Finding(
        "schema",
        Level.warn,
        f"differs from this release's in {where}",
        "`logsieve migrate --check` shows the differences; `logsieve migrate` removes those that an older release left",
    )
