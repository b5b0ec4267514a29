"""Retention every few minutes, in a thread of each loader: who fills a ClickHouse also empties it."""

import asyncio

import structlog
from sqlalchemy.exc import SQLAlchemyError

from ingest.retention.partitions import Partition
from ingest.retention.run import Erased, Outcome, Report, run_retention
from kit.clickhouse import connect
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import open_database
from schema.control.lifecycles import Lifecycles, read_lifecycles

log = structlog.get_logger()


class Retention(Repeating):
    """A run that fails is logged and tried again at the next turn; loading never waits for it.

    Stopped in the middle of a run, it leaves nothing half done: each statement is whole or never happened.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("retention", settings.retention_interval_seconds)
        self._settings = settings
        self._clock = clock

    def turn(self) -> None:
        try:
            outcome = retain(self._settings, self._clock, dry_run=False, report=_log)
        except (LogsieveError, SQLAlchemyError, OSError) as error:
            log.warning("retention did not run", error=str(error).split("\n")[0])
            return
        if outcome.unknown:
            log.warning("cohorts without a retention are kept for ever", cohorts=list(outcome.unknown))


def _log(gone: Partition | Erased) -> None:
    match gone:
        case Partition(table=table, cohort=cohort, day=day, rows=rows, bytes=size):
            log.info("partition dropped", table=table, cohort=cohort, day=day.isoformat(), rows=rows, bytes=size)
        case Erased(table=table, tenant_id=tenant_id, rows=rows):
            log.info("rows of a deleted tenant erased", table=table, tenant_id=tenant_id, rows=rows)


def retain(settings: Settings, clock: Clock, *, dry_run: bool, report: Report = lambda _: None) -> Outcome:
    """One run on every shard by what the control plane says now.

    Raises as run_retention, Unavailable when ClickHouse is away, SQLAlchemyError when the control plane is.
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
    engine = open_database(settings.control_plane_url)
    try:
        return await read_lifecycles(engine)
    finally:
        await engine.dispose()
