"""The background loop in each loader that moves old partitions to the cold volume of the servers that it fills."""

import structlog

from ingest.retention.partitions import TablePartition
from ingest.tiering.every_shard import move_everywhere
from kit import metrics
from kit.clock import Clock
from kit.repeating import Repeating
from kit.settings import Settings

log = structlog.get_logger()


class Tiering(Repeating):
    """Moves partitions in repeated runs. A failed run is logged and repeated. Loading never waits for it."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("tiering", settings.storage_interval_seconds)
        self._settings = settings
        self._clock = clock

    def run_once(self) -> None:
        move_everywhere([self._settings], self._clock, dry_run=False, report=_log)


def _log(moved: TablePartition) -> None:
    metrics.counter(metrics.TIERING_MOVED).add(moved.bytes)
    log.info("partition moved to the cold volume", **moved.described)
