"""Measures the cost of each page on each side by the query logs of all ClickHouse nodes.

Pages are read one after the other, so each statement that started while a page was read belongs to it. Only the stack's
health checks, `SELECT 1`, do not.
"""

import statistics
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Final, NamedTuple

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from loadtest.bench import Bench
from loadtest.own_stack import OwnStack
from loadtest.pages.questions import KNOWN, Question
from loadtest.pages.rounds import Read, Rounds, play
from loadtest.pages.sides import KNOWN_SIDES, Placement, Side, sides
from loadtest.plans.study import Cost, PageCost

_LOGGED_SECONDS: Final = 1.0
"""Seconds to wait before the query log is read, because a statement is logged after its answer was sent."""
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
_COSTS: Final = tuple(Cost.model_fields)

Measured = dict[tuple[Question, Side], list[Cost]]
"""Costs of each question on each side, one for each round."""


class Statement(NamedTuple):
    """A finished statement of one node. Times are microseconds.

    `started` is the start of the client's statement, by the clock of the node of the client's connection. `is_initial`
    is 1 for the client's own statement, and 0 for statements that this node sent to other nodes. `cpu` is the processor
    time of this node alone.
    """

    started: int
    is_initial: int
    duration: int
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    cpu: int


def measure(
    bench: Bench, stack: OwnStack, nodes: tuple[Client, Client], words: Sequence[Question], rounds: int
) -> tuple[PageCost, ...]:
    """Reads each page on each side in `rounds` rounds. Returns the medians of the costs.

    Raises Internal if two sides find different numbers of records, or if the query log lacks a page.
    """
    measured: Measured = defaultdict(list)
    requested = Rounds(_requested(words), rounds, warm_up=rounds > 1)
    with closing(play(bench, stack, nodes[0], requested)) as read_rounds:
        for done in read_rounds:
            time.sleep(_LOGGED_SECONDS)
            try:
                costs = attributed(_logged(nodes, done), done)
            except Internal:
                time.sleep(_LATE_SECONDS)
                costs = attributed(_logged(nodes, done), done)
            for read, cost in zip(done, costs, strict=True):
                measured[read.question, read.side].append(cost)
    return medians(measured, words)


def medians(measured: Measured, words: Sequence[Question]) -> tuple[PageCost, ...]:
    """Returns the median of each value of a page's cost, first of the searches `words`, then of the known case."""
    return tuple(
        PageCost(
            words=question.words,
            query=question.query,
            placement=side.placement.value,
            layout=side.layout,
            way=side.way.value,
            engine=side.engine.value,
            **{name: statistics.median(getattr(each, name) for each in measured[question, side]) for name in _COSTS},
        )
        for question, answering in _requested(words)
        for side in answering
    )


def _requested(words: Sequence[Question]) -> list[tuple[Question, Sequence[Side]]]:
    """Returns each question with the sides that answer it."""
    everywhere = [side for placement in Placement for side in sides(placement)]
    return [*((each, everywhere) for each in words), *((each, KNOWN_SIDES) for each in KNOWN)]


def _logged(nodes: Sequence[Client], reads: Sequence[Read]) -> list[Statement]:
    statements: list[Statement] = []
    for node in nodes:
        node.command("SYSTEM FLUSH LOGS query_log")
        rows = node.query(_STATEMENTS, parameters={"started": reads[0].started, "ended": reads[-1].ended}).result_rows
        statements += [Statement(*map(int, row)) for row in rows]
    return statements


def attributed(statements: Sequence[Statement], reads: Sequence[Read]) -> list[Cost]:
    """Returns for each read the cost of the statements that started within it. Raises Internal for one without any.

    Reads must be in order and must not overlap.
    """
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
