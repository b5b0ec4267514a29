"""One run of retention over all of the log store: on each shard in turn, by what the control plane says now."""

import asyncio

from ingest.retention.run import Outcome, Report, run_retention
from kit.clickhouse import connect
from kit.clock import Clock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lifecycles import Lifecycles, read_lifecycles


def retain(settings: Settings, clock: Clock, *, dry_run: bool, report: Report = lambda _: None) -> Outcome:
    """Drops and erases, or with `dry_run` says what it would.

    Raises as run_retention, Unavailable when ClickHouse or the control plane is away.
    """
    lifecycles = asyncio.run(_lifecycles(settings))
    outcomes = []
    for shard in range(settings.shards):
        with connect(settings, shard=shard) as client:
            outcomes.append(run_retention(client, lifecycles, clock, dry_run=dry_run, report=report))
    return Outcome(
        dropped=tuple(partition for outcome in outcomes for partition in outcome.dropped),
        erased=tuple(erased for outcome in outcomes for erased in outcome.erased),
        unknown=tuple(sorted({cohort for outcome in outcomes for cohort in outcome.unknown})),
    )


async def _lifecycles(settings: Settings) -> Lifecycles:
    async with opened(settings.control_plane_url) as engine:
        return await read_lifecycles(engine)
