"""Runs retention every few minutes, in a thread of each loader, so that old records are dropped on every ClickHouse
server that loaders fill."""

import structlog

from ingest.retention.every_shard import drop_everywhere
from ingest.retention.partitions import TablePartition
from kit.clock import Clock
from kit.repeating import Repeating
from kit.settings import Settings

log = structlog.get_logger()


class Retention(Repeating):
    """Background loop of retention. A failed run is logged and retried in the next one; loading never waits for it.

    A run that is stopped in the middle leaves nothing half done: each statement runs completely or not at all.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("retention", settings.retention_interval_seconds)
        self._settings = settings
        self._clock = clock

    def run_once(self) -> None:
        outcome = drop_everywhere([self._settings], self._clock, dry_run=False, report=_log)
        if outcome.audit_entries:
            log.info("old entries of the audit log removed", entries=outcome.audit_entries)
        if outcome.unknown:
            log.warning("cohorts without a retention are kept for ever", cohorts=list(outcome.unknown))


def _log(dropped: TablePartition) -> None:
    log.info("partition dropped", **dropped.described)
