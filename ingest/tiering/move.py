"""Moves partitions of the log tables on one server to the cold volume."""

from collections.abc import Callable
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.clickhouse_codes import NO_SUCH_PART
from ingest.each_partition import each_partition
from ingest.retention.partitions import TablePartition, stored_partitions
from ingest.retention.run import agreed_time
from ingest.tiering.plan import TierBounds, plan_moves
from ingest.tiering.volumes import Tiers, read_tiers_and_removing
from kit.clickhouse import translate
from kit.clock import Clock
from schema.clickhouse.tables import LOG_TABLE

MOVE_SECONDS: Final = 6 * 3600.0
"""Longest time to wait for one partition, in seconds. ClickHouse copies its parts one after the other."""

_MOVED: Final = 479
"""UNKNOWN_DISK: another loader moved all parts of the partition."""
_LOCKED: Final = 384
"""PART_IS_TEMPORARILY_LOCKED: a merge, or a move of another loader, has one of the parts. The next run moves it."""

Report = Callable[[TablePartition], None]


def move_old(
    client: Client, bounds: TierBounds, clock: Clock, *, dry_run: bool, report: Report = lambda _: None
) -> tuple[TablePartition, ...]:
    """Moves what `plan_moves` returns, and calls `report` for each partition that was moved. With `dry_run`, moves
    nothing. Returns the partitions, with their bytes on hot disks.

    A part is readable all the time: ClickHouse replaces it when its copy is complete. A run may end at any point, and
    runs may overlap. If ClickHouse refuses to move a partition, the others are moved, and the error is raised in the
    end. Raises Conflict if the clocks differ, and the errors of kit.clickhouse.translate.
    """
    try:
        tiers = read_tiers_and_removing(client)
        if tiers is None:
            return ()
        planned = plan_moves(_hot_partitions(client, tiers), tiers, bounds, agreed_time(client, clock))
        if dry_run:
            return planned
    except Error as error:
        raise translate(error) from error
    moved = list[TablePartition]()

    def move(partition: TablePartition) -> None:
        if _move(client, partition, tiers.cold_volume):
            report(partition)
            moved.append(partition)

    each_partition(planned, move)
    return tuple(moved)


def _hot_partitions(client: Client, tiers: Tiers) -> list[TablePartition]:
    return stored_partitions(client, LOG_TABLE, tuple(disk.name for disk in tiers.hot))


def _move(client: Client, partition: TablePartition, volume: str) -> bool:
    """Returns whether all parts of the partition were moved."""
    try:
        client.command(
            f"ALTER TABLE {partition.table} MOVE PARTITION ID {{id:String}} TO VOLUME '{volume}'",
            parameters={"id": partition.id},
        )
    except Error as error:
        if error.code in (NO_SUCH_PART, _MOVED, _LOCKED):
            return False
        raise
    return True
