"""Reads from ClickHouse's query_log how much CPU time searches for words of bodies have used, by table partition."""

from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.searched_words import WORD_SEARCH

MIN_CPU_SECONDS: Final = 0.1
"""Smallest CPU time, in seconds, of a statement that counts. Cheaper searches gain little from the index: most of them
read a page of bodies, which they would also read with the index."""

LOG_DELAY_SECONDS: Final = 30
"""Age, in seconds, at which a finished statement is expected in query_log. ClickHouse writes the log every 7.5 s by
default. Statements that it writes later do not count."""

FIRST_SECONDS: Final = 3_600
"""Largest age, in seconds, of searches that count when a loader starts. Searches before the last build do not count."""

_SEARCHES: Final = (
    "SELECT arrayFilter(name -> startsWith(name, {database:String}), partitions) AS searched,"
    " sum(ProfileEvents['OSCPUVirtualTimeMicroseconds']) / 1e6"
    " FROM system.query_log WHERE event_date >= toDate(fromUnixTimestamp({after:UInt32}))"
    " AND event_time > fromUnixTimestamp({after:UInt32}) AND event_time <= fromUnixTimestamp({until:UInt32})"
    " AND type != 'QueryStart' AND query_kind = 'Select' AND user = {user:String}"
    " AND startsWith(initial_query_id, {kind:String})"
    " AND ProfileEvents['OSCPUVirtualTimeMicroseconds'] >= {cpu:UInt64} AND notEmpty(searched) GROUP BY searched"
)


@dataclass(frozen=True, slots=True, order=True)
class TablePartition:
    """A partition of a log table of one server."""

    table: str
    id: str


@dataclass(frozen=True, slots=True)
class Searches:
    """Searches that read the same partitions, and the CPU time, in seconds, that all of them have used."""

    partitions: tuple[TablePartition, ...]
    cpu_seconds: float


def server_seconds(client: Client) -> int:
    """Returns the time by the server's clock, in seconds since the Unix epoch."""
    return int(str(client.command("SELECT toUnixTimestamp(now())")))


def read_searches(client: Client, database: str, user: str, after: int, until: int) -> list[Searches]:
    """Returns the searches of `user` for words of bodies that ended, also by an error, after `after` and not after
    `until`, in seconds since the Unix epoch by the server's clock. Returns none if the server has no query_log. Raises
    clickhouse-connect's Error."""
    if not client.command("EXISTS TABLE system.query_log"):
        return []
    rows = client.query(
        _SEARCHES,
        parameters={
            "database": f"{database}.",
            "after": after,
            "until": until,
            "user": user,
            "kind": WORD_SEARCH,
            "cpu": round(MIN_CPU_SECONDS * 1e6),
        },
    ).result_rows
    return [Searches(tuple(map(_partition, names)), float(seconds)) for names, seconds in rows]


def _partition(name: str) -> TablePartition:
    """Reads a name such as `logsieve.logs_0.8fcf…`. Neither tables nor ids have a dot."""
    _, table, partition_id = name.rsplit(".", 2)
    return TablePartition(table, partition_id)
