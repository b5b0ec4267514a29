"""One run of moves to the cold volume: on one shard after the other."""

from collections.abc import Sequence

from ingest.first_failure import FirstFailure
from ingest.retention.partitions import TablePartition
from ingest.tiering.move import MOVE_SECONDS, Report, move_old
from ingest.tiering.plan import TierBounds
from kit.clickhouse import connect
from kit.clock import Clock
from kit.settings import Settings


def move_everywhere(
    replicas: Sequence[Settings], clock: Clock, *, dry_run: bool, report: Report = lambda _: None
) -> tuple[TablePartition, ...]:
    """Moves old partitions in these replicas of the store, each given by its settings, and returns them. With
    `dry_run`, returns the partitions and moves nothing.

    If a server fails, continues with the others. Then raises the first error: one of `move_old`, or Unavailable if a
    server was unreachable.
    """
    moved, failures = list[TablePartition](), FirstFailure()
    for replica in replicas:
        bounds = TierBounds(
            replica.cold_after_days, replica.storage_target_percent / 100, replica.loader_stop_percent / 100
        )
        for shard in range(replica.shards):
            kept = failures.kept(None if dry_run else shard)
            with kept, connect(replica, shard=shard, receive_seconds=MOVE_SECONDS) as client:
                moved += move_old(client, bounds, clock, dry_run=dry_run, report=report)
    failures.raise_kept()
    return tuple(moved)
