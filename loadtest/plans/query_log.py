"""Reads the cost of pages from the query logs of all ClickHouse nodes.

Pages are read one after the other, so each statement that started while a page was read belongs to it. Only the stack's
health checks, `SELECT 1`, do not.
"""

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from loadtest.plans.rounds import Read

_LOGGED_SECONDS: Final = 1.0
_LATE_SECONDS: Final = 9.0
"""Additional seconds to wait for rows of the query log, which are late on a busy machine."""
_STATEMENTS: Final = (
    "SELECT toUnixTimestamp64Micro(initial_query_start_time_microseconds), is_initial_query,"
    " dateDiff('microsecond', query_start_time_microseconds, event_time_microseconds),"
    " memory_usage, read_rows, read_bytes, ProfileEvents['SelectedMarks'],"
    " ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']"
    " FROM system.query_log"
    " WHERE type = 'QueryFinish' AND query_kind IN ('Select', 'Explain') AND NOT startsWith(query, 'SELECT 1')"
    " AND initial_query_start_time_microseconds >= fromUnixTimestamp64Micro({started:Int64})"
    " AND initial_query_start_time_microseconds <= fromUnixTimestamp64Micro({ended:Int64})"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A finished statement of one node. Times are microseconds.

    `started` is the start of the client's statement, by the clock of the node of the client's connection. `is_initial`
    is true for the client's own statement, and false for statements that this node sent to other nodes. `cpu` is the
    processor time of this node alone.
    """

    started: int
    is_initial: bool
    duration: int
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    cpu: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one page: the seconds during which at least one of its statements ran, the largest memory of one
    statement, and the reads and processor seconds of all nodes."""

    seconds: float
    cpu_seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    statements: int


def costs(nodes: Sequence[Client], reads: Sequence[Read]) -> list[Cost]:
    """Returns the cost of each read. Reads must be in order and must not overlap.

    Raises Internal if the query log lacks the statements of a read.
    """
    # The wait is needed because a statement is logged after its answer was sent.
    time.sleep(_LOGGED_SECONDS)
    try:
        return attributed(_logged(nodes, reads), reads)
    except Internal:
        time.sleep(_LATE_SECONDS)
        return attributed(_logged(nodes, reads), reads)


def _logged(nodes: Sequence[Client], reads: Sequence[Read]) -> list[Statement]:
    statements: list[Statement] = []
    for node in nodes:
        node.command("SYSTEM FLUSH LOGS query_log")
        rows = node.query(_STATEMENTS, parameters={"started": reads[0].started, "ended": reads[-1].ended}).result_rows
        statements += [Statement(int(row[0]), bool(row[1]), *map(int, row[2:])) for row in rows]
    return statements


def attributed(statements: Sequence[Statement], reads: Sequence[Read]) -> list[Cost]:
    """Returns for each read the cost of the statements that started within it. Raises Internal for one without any."""
    starts = [read.started for read in reads]
    own: list[list[Statement]] = [[] for _ in reads]
    for statement in statements:
        place = bisect_right(starts, statement.started) - 1
        if place >= 0 and statement.started <= reads[place].ended:
            own[place].append(statement)
    return [_cost(each) for each in own]


def _cost(statements: Sequence[Statement]) -> Cost:
    initial = [each for each in statements if each.is_initial]
    if not initial:
        raise Internal("the query log lacks the statements of a page")
    return Cost(
        # The initial statement's time, rows and bytes include those of the statements that it sent to other shards.
        seconds=_covered([(each.started, each.started + each.duration) for each in initial]) / 1e6,
        cpu_seconds=sum(each.cpu for each in statements) / 1e6,
        memory=max(each.memory for each in statements),
        rows_read=sum(each.rows_read for each in initial),
        bytes_read=sum(each.bytes_read for each in initial),
        granules=sum(each.granules for each in statements),
        statements=len(initial),
    )


def _covered(spans: Iterable[tuple[int, int]]) -> int:
    """Returns the microseconds that at least one of the spans covers. Statements of two shards run at the same time."""
    covered, reached = 0, 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
