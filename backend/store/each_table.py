"""Reads a scope table by table, one table for each lane on each shard, and merges the records of their pages.

Only a statement over one of the server's own tables reads wide columns last and lets indexes answer. Statements over
Distributed tables do neither (docs/decisions/0050-each-shard-reads-its-own-page.md).
"""

import math
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, Final, TypeVar

from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import key_of
from backend.store.rows import Cost, Rows, cost_of_phases, cost_of_shards
from backend.store.runs import Runs, SlotRuns
from backend.store.scope import Scope
from backend.store.together import each_of
from schema.columns import Record

T = TypeVar("T")

ReadRange = Callable[[Runs, Query], Coroutine[Any, Any, Rows[Record]]]
"""Function that returns the records of a query over one table. Raises what Executor.run raises."""

DEVIATIONS: Final = 3
"""Number of standard deviations by which the rows first requested from a table exceed the mean number of a page's rows
in one table."""

_KEY: Final = attrgetter("timestamp", "id")


async def read_each_table(
    runs: SlotRuns, scope: Scope, read: Callable[[Runs, Scope], Coroutine[Any, Any, T]]
) -> list[T]:
    """Returns what `read` returns for each table of the scope, in the order of `Scope.of_each_table`.

    Several tables are read at the same time, at most AT_ONCE of them. Their statements share one slot, because each
    server runs only one of them, as for a statement over Distributed tables. If the tenant has moved between lanes,
    each server runs one for each lane. If one table fails, the statements of all others are stopped, and the error is
    raised.
    """
    tables = scope.of_each_table
    if len(tables) == 1:
        return [await read(runs, scope)]
    async with runs.slot(scope.tenant_id) as held:
        return await each_of(tables, partial(read, held))


async def read_merged(runs: SlotRuns, query: Query, read: ReadRange) -> Rows[Record]:
    """Returns the first records of the query in all of its tables together. Raises what `read` raises.

    First requests from each table as many rows as it usually has on the page. If a table returned that many rows and
    all of them are on the page, requests the rest of the page from this table. Reads at most AT_ONCE tables at the same
    time.
    """
    of_tables = query.of_each_table
    if len(of_tables) == 1:
        return await read(runs, query)
    usual = usual_limit(query.limit, len(of_tables))
    async with runs.slot(query.scope.tenant_id) as held:
        first = [replace(each, limit=usual) for each in of_tables]
        answers = await each_of(first, partial(read, held))
        rows = _merged(answers, query.order)
        second = _rest(zip(first, answers, strict=True), rows, query.limit)
        if not second:
            return Rows(rows[: query.limit], _cost(answers))
        more = await each_of(second, partial(read, held))
    rows = _merged([*answers, *more], query.order)
    return Rows(rows[: query.limit], cost_of_phases(_cost(answers), _cost(more)))


def usual_limit(limit: int, tables: int) -> int:
    """Returns the number of rows of a page of `limit` rows that a table hardly ever exceeds, if each row may be in any
    of the tables."""
    deviation = math.sqrt(limit * (tables - 1)) / tables
    return min(limit, math.ceil(limit / tables + DEVIATIONS * deviation))


def _rest(read: Iterable[tuple[Query, Rows[Record]]], rows: Sequence[Record], limit: int) -> list[Query]:
    """Returns the queries for rows of the page that are still missing. `read` has the queries so far with their
    answers, `rows` the merged rows of all answers."""
    missing = list[Query]()
    for query, answer in read:
        if len(answer.rows) < query.limit:
            continue
        last = answer.rows[-1]
        if (place := rows.index(last) + 1) < limit:
            missing.append(replace(query, limit=limit - place, after=key_of(last)))
    return missing


def _merged(answers: Iterable[Rows[Record]], order: Order) -> list[Record]:
    """Returns the rows of all answers in order. Sorting merges them, because each answer is in order already."""
    return sorted(chain(*(answer.rows for answer in answers)), key=_KEY, reverse=order is Order.desc)


def _cost(answers: Iterable[Rows[Record]]) -> Cost:
    return cost_of_shards([answer.cost for answer in answers])
