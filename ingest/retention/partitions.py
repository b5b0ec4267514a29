"""Finds the partitions of cohorts and days in ClickHouse, and decides which are past their retention."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, TypeVar

from clickhouse_connect.driver.client import Client

_Id = TypeVar("_Id", str, int)

MARGIN: Final = timedelta(hours=1)
"""Time that a partition is kept beyond its retention, because the clocks of senders and servers differ."""

_IDS_OF_A_QUERY: Final = 1_000
"""Largest number of partitions, or of tenants, that one query names. ClickHouse refuses a parameter above 128 KiB, and
the id of a partition has 32 characters."""

_VALUE: Final = re.compile(r"\('(?P<cohort>[A-Za-z0-9_]+)','(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})'\)")


@dataclass(frozen=True, slots=True)
class TablePartition:
    """One UTC day of one cohort in one table, with its number of rows and bytes on disk."""

    table: str
    id: str
    cohort: str
    day: date
    rows: int
    bytes: int

    @property
    def described(self) -> dict[str, str | int]:
        """Fields of a log line about the partition."""
        return {
            "table": self.table,
            "cohort": self.cohort,
            "day": self.day.isoformat(),
            "rows": self.rows,
            "bytes": self.bytes,
        }


def stored_partitions(client: Client, tables: str = ".+", disks: Collection[str] | None = None) -> list[TablePartition]:
    """Returns the partitions of all tables of the database that are partitioned by cohort and day, oldest first.

    `tables` is a regular expression for the tables to include. With `disks`, only parts on these disks count.
    """
    on_disks = "" if disks is None else " AND disk_name IN {disks:Array(String)}"
    rows = client.query(
        "SELECT table, partition_id, any(partition), sum(rows), sum(bytes_on_disk) FROM system.parts"
        f" WHERE database = currentDatabase() AND active{on_disks} AND table IN ("
        "  SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, {tables:String})"
        "  AND startsWith(partition_key, '(cohort, toDate('))"
        " GROUP BY table, partition_id",
        parameters={"tables": f"^{tables}$", "disks": list(disks or ())},
    ).result_rows
    found = []
    for table, partition_id, value, count, size in rows:
        if parts := _VALUE.fullmatch(str(value)):
            day = date.fromisoformat(parts["day"])
            found.append(TablePartition(str(table), str(partition_id), parts["cohort"], day, int(count), int(size)))
    return sorted(found, key=lambda each: (each.day, each.table, each.cohort))


def past_retention(
    partitions: Iterable[TablePartition], retention_days: Mapping[str, int], now: datetime
) -> list[TablePartition]:
    """Returns the partitions whose last moment is longer ago than their cohort's retention. Keeps those of unknown
    cohorts."""
    return [
        each
        for each in partitions
        if (days := retention_days.get(each.cohort)) is not None
        and end_of(each.day) + timedelta(days=days) + MARGIN <= now
    ]


def end_of(day: date) -> datetime:
    """Returns the first moment after a UTC day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def batches(ids: Sequence[_Id]) -> Iterator[Sequence[_Id]]:
    """Yields the ids of partitions or tenants in parts that are small enough for a parameter of a query."""
    for start in range(0, len(ids), _IDS_OF_A_QUERY):
        yield ids[start : start + _IDS_OF_A_QUERY]
