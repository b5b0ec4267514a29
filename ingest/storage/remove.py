"""Removes the days of tenants that the disks do not let them keep from one server.

The control plane says which days these are, so every replica removes the same rows. A part that has only such rows is
dropped. Other parts are rewritten by a mutation. No row that arrives meanwhile is lost, because a part never changes.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.clickhouse_codes import NO_SUCH_PART
from ingest.each_partition import each_partition
from ingest.retention.partitions import TablePartition, batches, stored_partitions
from kit.clickhouse import translate
from schema.control.storage import EPOCH

_DELETES: Final = re.compile(r"DELETE IN PARTITION ID '(\w+)' WHERE tenant_id IN \(([0-9]+(?:, [0-9]+)*)\)")
"""Pattern of the statement of `_delete`, as system.mutations shows it."""

PartRows = dict[str, dict[int, int]]
"""Numbers of rows of a partition, by part and tenant."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Rows of tenants that were removed, or are being removed, from a partition of a table."""

    table: str
    cohort: str
    day: date
    tenants: tuple[int, ...]
    rows: int


def remove_days(client: Client, kept_from: Mapping[int, int]) -> list[Removal]:
    """Starts to remove the records of each tenant from before the UTC day `kept_from`, in days since the Unix epoch.

    Does not wait for mutations. Returns the partitions with rows to remove. May be repeated, also by several processes.
    If ClickHouse refuses to remove the rows of a partition, those of the others are removed, and the error is raised in
    the end. Raises the errors of kit.clickhouse.translate.
    """
    if not kept_from:
        return []
    try:
        pending = _pending(client)
        first = max(kept_from.values())
        older = [each for each in stored_partitions(client) if _day(each) < first]
        counted = {table: _rows(client, table, older, kept_from) for table in {each.table for each in older}}
    except Error as error:
        raise translate(error) from error
    found = list[Removal]()

    def remove(partition: TablePartition) -> None:
        if rows := _losing(counted[partition.table].get(partition.id, {}), _day(partition), kept_from):
            _remove(client, partition, rows, pending[partition.table, partition.id])
            found.append(_removal(partition, rows))

    each_partition(older, remove)
    return found


def _day(partition: TablePartition) -> int:
    """Returns the partition's day in days since the Unix epoch."""
    return (partition.day - EPOCH).days


def _rows(
    client: Client, table: str, partitions: list[TablePartition], kept_from: Mapping[int, int]
) -> dict[str, PartRows]:
    """Returns the rows of tenants that do not keep the first day of the partitions, by partition id."""
    found = defaultdict[str, PartRows](dict)
    of_table = [each for each in partitions if each.table == table]
    oldest = min(map(_day, of_table))
    losing = sorted(tenant for tenant, first in kept_from.items() if first > oldest)
    for ids, tenants in product(batches([each.id for each in of_table]), batches(losing)):
        rows = client.query(
            f"SELECT _partition_id, _part, tenant_id, count() FROM {table}"
            " WHERE _partition_id IN {ids:Array(String)} AND tenant_id IN {tenants:Array(UInt32)}"
            " GROUP BY _partition_id, _part, tenant_id",
            parameters={"ids": ids, "tenants": tenants},
        ).result_rows
        for partition_id, part, tenant_id, count in rows:
            found[str(partition_id)].setdefault(str(part), {})[int(tenant_id)] = int(count)
    return found


def _losing(rows: PartRows, day: int, kept_from: Mapping[int, int]) -> PartRows:
    """Returns the parts that have rows of tenants that do not keep this day, with these rows only."""
    losing = {
        part: {tenant: count for tenant, count in counts.items() if day < kept_from[tenant]}
        for part, counts in rows.items()
    }
    return {part: counts for part, counts in losing.items() if counts}


def _removal(partition: TablePartition, rows: PartRows) -> Removal:
    tenants = {tenant_id for counts in rows.values() for tenant_id in counts}
    total = sum(sum(counts.values()) for counts in rows.values())
    return Removal(partition.table, partition.cohort, partition.day, tuple(sorted(tenants)), total)


def _remove(client: Client, partition: TablePartition, rows: PartRows, pending: frozenset[int]) -> None:
    sizes, mixed = _part_sizes(client, partition), set[int]()
    for part, counts in rows.items():
        if sum(counts.values()) != sizes.get(part) or not _drop_part(client, partition.table, part):
            mixed |= counts.keys()
    if mixed - pending:
        _delete(client, partition, mixed)


def _part_sizes(client: Client, partition: TablePartition) -> dict[str, int]:
    """Returns the number of rows of each active part, by its name."""
    rows = client.query(
        "SELECT name, rows FROM system.parts WHERE database = currentDatabase() AND active"
        " AND table = {table:String} AND partition_id = {id:String}",
        parameters={"table": partition.table, "id": partition.id},
    ).result_rows
    return {str(name): int(count) for name, count in rows}


def _drop_part(client: Client, table: str, part: str) -> bool:
    """Drops a part. Returns False if it was merged into another one meanwhile."""
    try:
        # The server's guard against dropping large tables by mistake would otherwise keep large parts forever.
        client.command(
            f"ALTER TABLE {table} DROP PART {{part:String}}",
            parameters={"part": part},
            settings={"max_partition_size_to_drop": 0},
        )
    except Error as error:
        if error.code != NO_SUCH_PART:
            raise
        return False
    return True


def _delete(client: Client, partition: TablePartition, tenants: set[int]) -> None:
    numbers = ", ".join(map(str, sorted(tenants)))
    client.command(
        f"ALTER TABLE {partition.table} DELETE IN PARTITION ID '{partition.id}' WHERE tenant_id IN ({numbers})"
        " SETTINGS mutations_sync = 0"
    )


def _pending(client: Client) -> Mapping[tuple[str, str], frozenset[int]]:
    """Returns the tenants whose rows unfinished mutations delete, by table and partition id."""
    rows = client.query(
        "SELECT table, command FROM system.mutations"
        " WHERE database = currentDatabase() AND NOT is_done AND NOT is_killed"
    ).result_rows
    found = defaultdict[tuple[str, str], frozenset[int]](frozenset)
    for table, command in rows:
        if match := _DELETES.search(str(command)):
            found[str(table), match[1]] |= frozenset(map(int, match[2].split(", ")))
    return found
