"""One run of retention: on one shard after the other, then on the audit log, with the retentions that the control plane
has now."""

import asyncio
from collections.abc import Sequence

from ingest.first_failure import FirstFailure
from ingest.retention.run import Report, RetentionResult, run_retention
from kit.clickhouse import connect
from kit.clock import Clock
from kit.settings import Settings
from schema.control.audit_retention import forget_audit
from schema.control.database import opened
from schema.control.lifecycles import Lifecycles, read_lifecycles


def drop_everywhere(
    replicas: Sequence[Settings], clock: Clock, *, dry_run: bool, report: Report = lambda _: None
) -> RetentionResult:
    """Drops partitions past their retention in these replicas of the store, each given by its settings.

    With `dry_run`, only lists them.

    If a server fails, continues with the others. Raises the first error in the end: one of run_retention, or
    Unavailable for a server that cannot be reached. Raises Unavailable at once while the control plane is unreachable.
    """
    lifecycles = asyncio.run(_lifecycles(replicas[0]))
    outcomes, failures = list[RetentionResult](), FirstFailure()
    for replica in replicas:
        for shard in range(replica.shards):
            with failures.kept(None if dry_run else shard), connect(replica, shard=shard) as client:
                outcomes.append(run_retention(client, lifecycles, clock, dry_run=dry_run, report=report))
    failures.raise_kept()
    # The audit log comes last: if our clock and a server's differ, none of its entries is removed.
    audit_entries = asyncio.run(_forget_audit(replicas[0], clock, dry_run=dry_run))
    return RetentionResult(
        dropped=tuple(partition for outcome in outcomes for partition in outcome.dropped),
        unknown=tuple(sorted({cohort for outcome in outcomes for cohort in outcome.unknown})),
        audit_entries=audit_entries,
    )


async def _lifecycles(settings: Settings) -> Lifecycles:
    async with opened(settings.control_plane_url) as engine:
        return await read_lifecycles(engine)


async def _forget_audit(settings: Settings, clock: Clock, *, dry_run: bool) -> int:
    async with opened(settings.control_plane_url) as engine:
        return await forget_audit(engine, clock.now_ns(), settings.audit_days, dry_run=dry_run)
