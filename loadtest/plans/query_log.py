"""Reads the cost of pages from ClickHouse's query log, on all nodes together.

Pages are read one after the other, so every statement that began during a page belongs to it. Only the stack's health
checks, `SELECT 1`, are left out.
"""

import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from loadtest.plans.rounds import Read

_LOGGED_SECONDS: Final = 1.0
_LATE_SECONDS: Final = 9.0
"""On a machine that is busy."""
_STATEMENTS: Final = (
    "SELECT toUnixTimestamp64Micro(initial_query_start_time_microseconds), is_initial_query,"
    " dateDiff('microsecond', query_start_time_microseconds, event_time_microseconds),"
    " memory_usage, read_rows, read_bytes, ProfileEvents['SelectedMarks']"
    " FROM system.query_log"
    " WHERE type = 'QueryFinish' AND query_kind IN ('Select', 'Explain') AND NOT startsWith(query, 'SELECT 1')"
    " AND initial_query_start_time_microseconds >= fromUnixTimestamp64Micro({began:Int64})"
    " AND initial_query_start_time_microseconds <= fromUnixTimestamp64Micro({ended:Int64})"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A finished statement of one node; microseconds, `began` on the clock of the node that was asked first."""

    began: int
    is_initial: bool
    duration: int
    memory: int
    rows_read: int
    bytes_read: int
    granules: int


@dataclass(frozen=True, slots=True)
class Cost:
    """One page: seconds of its statements one after the other, the most memory of one, and what all nodes read."""

    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    statements: int


def costs(nodes: Sequence[Client], reads: Sequence[Read]) -> list[Cost]:
    """Returns the cost of each read; reads are in order and do not overlap. Raises Internal when the log lacks one."""
    # A statement is logged after its answer was sent.
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
        rows = node.query(_STATEMENTS, parameters={"began": reads[0].began, "ended": reads[-1].ended}).result_rows
        statements += [Statement(int(row[0]), bool(row[1]), *map(int, row[2:])) for row in rows]
    return statements


def attributed(statements: Sequence[Statement], reads: Sequence[Read]) -> list[Cost]:
    """Adds up for each read the statements that began within it."""
    begins = [read.began for read in reads]
    own: list[list[Statement]] = [[] for _ in reads]
    for statement in statements:
        place = bisect_right(begins, statement.began) - 1
        if place >= 0 and statement.began <= reads[place].ended:
            own[place].append(statement)
    return [_cost(each) for each in own]


def _cost(statements: Sequence[Statement]) -> Cost:
    initial = [each for each in statements if each.is_initial]
    if not initial:
        raise Internal("the query log lacks the statements of a page")
    return Cost(
        # Time, rows and bytes of other shards are included in those of the statement that asked them.
        seconds=sum(each.duration for each in initial) / 1e6,
        memory=max(each.memory for each in statements),
        rows_read=sum(each.rows_read for each in initial),
        bytes_read=sum(each.bytes_read for each in initial),
        granules=sum(each.granules for each in statements),
        statements=len(initial),
    )
