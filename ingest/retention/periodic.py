"""Retention every few minutes, in a thread of each loader: who fills a ClickHouse also empties it."""

import asyncio
import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from ingest.retention.partitions import Partition
from ingest.retention.run import Erased, Outcome, Report, run_retention
from kit.clickhouse import connect
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.control.database import open_database
from schema.control.lifecycles import Lifecycles, read_lifecycles

log = structlog.get_logger()


class Retention:
    """The thread. A run that fails is logged and tried again at the next turn; loading never waits for it."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Does not wait for a run: each of its statements is whole or never happened."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(self._settings.retention_interval_seconds):
            try:
                outcome = retain(self._settings, self._clock, dry_run=False, report=_log)
            except (LogsieveError, SQLAlchemyError, OSError) as error:
                log.warning("retention did not run", error=str(error).split("\n")[0])
                continue
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
