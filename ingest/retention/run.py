"""One run of retention on one ClickHouse server: drops the partitions past their retention.

Runs may overlap, on one server or by several processes, because dropping a missing partition does nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.each_partition import each_partition
from ingest.retention.partitions import TablePartition, past_retention, stored_partitions
from kit.clickhouse import translate
from kit.clock import CLOCKS_APART, Clock
from kit.errors import Conflict
from schema.control.lifecycles import Lifecycles


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """Partitions that a run dropped, or would drop. `unknown` are cohorts that have data but are not in the control
    plane.

    `audit_entries` counts the removed entries of the audit log.
    """

    dropped: tuple[TablePartition, ...]
    unknown: tuple[str, ...]
    audit_entries: int = 0


Report = Callable[[TablePartition], None]


def run_retention(
    client: Client, lifecycles: Lifecycles, clock: Clock, *, dry_run: bool, report: Report = lambda _: None
) -> RetentionResult:
    """Drops the partitions past their retention on one server and calls `report` for each. With `dry_run`, only finds
    them.

    If ClickHouse refuses to drop a partition, the others are dropped, and the error is raised in the end. Raises
    Conflict if the clocks differ, and the errors of kit.clickhouse.translate.
    """
    try:
        partitions = stored_partitions(client)
        expired = past_retention(partitions, lifecycles.retention_days, agreed_time(client, clock))
    except Error as error:
        raise translate(error) from error

    def drop(partition: TablePartition) -> None:
        _drop(client, partition)
        report(partition)

    each_partition(() if dry_run else expired, drop)
    unknown = {each.cohort for each in partitions} - lifecycles.retention_days.keys()
    return RetentionResult(tuple(expired), tuple(sorted(unknown)))


def agreed_time(client: Client, clock: Clock) -> datetime:
    """Returns the time by the slower of our clock and the server's. Raises Conflict if they differ by more than
    CLOCKS_APART."""
    ours = datetime.fromtimestamp(clock.now_ns() / 1e9, UTC)
    theirs = datetime.fromtimestamp(int(client.query("SELECT toUnixTimestamp(now())").result_rows[0][0]), UTC)
    if abs(ours - theirs) > CLOCKS_APART:
        raise Conflict(
            f"this machine's clock says {ours:%Y-%m-%d %H:%M} and ClickHouse's {theirs:%Y-%m-%d %H:%M}, so nothing was"
            " dropped or moved: set both clocks, for example by NTP"
        )
    return min(ours, theirs)


def _drop(client: Client, partition: TablePartition) -> None:
    # The server's guard against dropping large tables by mistake would otherwise keep large days forever.
    client.command(
        f"ALTER TABLE {partition.table} DROP PARTITION ID {{id:String}}",
        parameters={"id": partition.id},
        settings={"max_partition_size_to_drop": 0},
    )
