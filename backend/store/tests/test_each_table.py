"""Tests of pages that are merged from the pages of several tables."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from backend.language.nodes import MatchAll
from backend.store.compile.filter import compile_filter
from backend.store.each_table import read_each_table, read_merged, usual_limit
from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Cost, Rows
from backend.store.runs import Runs
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import FakeLogStore, stored_row
from backend.store.together import AT_ONCE
from kit.errors import Unavailable
from schema.columns import Record, StoredRecord

SHARDS = (0, 1, 2)
SCOPE = Scope(7, (0,), ("r30",), TimeRange(0, 100), SHARDS)
# Every moment has records on two shards or three.
ROWS = [
    [stored_row(moment, 10 * shard + moment % 3) for moment in range(30) if moment % 4 != shard] for shard in SHARDS
]


class _Slots(FakeLogStore):
    """A store of several shards that counts held slots."""

    def __init__(self) -> None:
        super().__init__([])
        self.held = self.largest = 0

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[Runs]:  # type: ignore[override]  # a fake
        assert tenant_id == SCOPE.tenant_id
        self.held += 1
        self.largest = max(self.largest, self.held)
        yield self
        self.held -= 1


async def read_shard(_held: Runs, query: Query) -> Rows[Record]:
    """Returns the first rows of a shard, with a cost that is higher for higher shards."""
    [shard] = query.scope.shards
    return first_of(ROWS[shard], query)


def first_of(stored: Sequence[StoredRecord], query: Query) -> Rows[Record]:
    rows = sorted(stored, key=key_of, reverse=query.order is Order.desc)
    if query.after is not None:
        after = query.after
        rows = [row for row in rows if (key_of(row) < after if query.order is Order.desc else key_of(row) > after)]
    return Rows(rows[: query.limit], Cost(10.0 * (query.scope.shards[0] + 1), 5, 50, 4))


def requests_of(rows: Sequence[Sequence[StoredRecord]], limit: int) -> list[tuple[int, int]]:
    """Returns the shard and the limit of each query that reads a page of these rows, newest first. The page must be
    right."""
    requests: list[tuple[int, int]] = []

    async def read(_held: Runs, query: Query) -> Rows[Record]:
        requests.append((query.scope.shards[0], query.limit))
        return first_of(rows[query.scope.shards[0]], query)

    shards = range(len(rows))
    page = asyncio.run(read_merged(_Slots(), requested(Order.desc, limit, shards=shards), read)).rows
    assert list(page) == sorted((row for part in rows for row in part), key=key_of, reverse=True)[:limit]
    return requests


def test_a_shard_is_asked_for_its_usual_share_and_again_if_the_page_lacks_rows_of_it() -> None:
    even = [[stored_row(2 * number + shard, 0) for number in range(200)] for shard in range(2)]
    usual = usual_limit(101, 2)
    assert usual == 66
    assert requests_of(even, 101) == [(0, usual), (1, usual)]
    newest = [[stored_row(number, 0) for number in range(200)], [stored_row(number, 1) for number in range(200, 400)]]
    assert requests_of(newest, 101) == [(0, usual), (1, usual), (1, 101 - usual)]
    few = [[stored_row(number, 0) for number in range(70)], [stored_row(number, 1) for number in range(300, 305)]]
    assert requests_of(few, 101) == [(0, usual), (1, usual), (0, 101 - usual - 5)]
    assert requests_of([[], []], 101) == [(0, usual), (1, usual)]


@pytest.mark.parametrize(("limit", "shards", "usual"), [(1, 2, 1), (7, 2, 7), (1_001, 2, 548), (101, 5, 33)])
def test_the_usual_share_has_a_margin_and_is_never_more_than_the_page(limit: int, shards: int, usual: int) -> None:
    assert usual_limit(limit, shards) == usual


def requested(order: Order, limit: int, after: RecordId | None = None, shards: Sequence[int] = SHARDS) -> Query:
    return Query(replace(SCOPE, shards=tuple(shards)), compile_filter(MatchAll()), order, limit, after)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("limit", [1, 7, 30, 1_000])
def test_pages_have_every_record_of_all_shards_once_and_in_order(order: Order, limit: int) -> None:
    async def read_all() -> list[RecordId]:
        found: list[RecordId] = []
        after: RecordId | None = None
        while True:
            page = (await read_merged(_Slots(), requested(order, limit, after), read_shard)).rows
            assert len(page) <= limit
            found += map(key_of, page)
            if len(page) < limit:
                return found
            after = found[-1]

    every = sorted((key_of(row) for rows in ROWS for row in rows), reverse=order is Order.desc)
    assert asyncio.run(read_all()) == every


def test_the_cost_is_the_work_of_all_shards_and_the_time_of_the_slowest() -> None:
    page = asyncio.run(read_merged(_Slots(), requested(Order.asc, 5), read_shard))
    assert page.cost == Cost(30.0, 15, 150, 12)


def test_several_shards_take_one_slot_and_one_shard_takes_none() -> None:
    store = _Slots()
    asyncio.run(read_merged(store, requested(Order.asc, 5), read_shard))
    assert (store.largest, store.held) == (1, 0)
    alone = _Slots()
    page = asyncio.run(read_merged(alone, requested(Order.asc, 5, shards=[1]), read_shard))
    assert (alone.largest, len(page.rows)) == (0, 5)


@pytest.mark.parametrize("order", Order)
def test_few_of_many_tables_are_read_at_once_and_the_page_is_whole(order: Order) -> None:
    running = largest = 0

    async def read(_held: Runs, query: Query) -> Rows[Record]:
        nonlocal running, largest
        [shard], [lane] = query.scope.shards, query.scope.lanes
        running += 1
        largest = max(largest, running)
        for _ in range(1 + lane % 3):
            await asyncio.sleep(0)
        running -= 1
        return first_of([stored_row(lane + 64 * number, shard) for number in range(3)], query)

    scope = replace(SCOPE, shards=(0, 1, 2, 3), lanes=tuple(range(64)))
    query = replace(requested(order, 700), scope=scope)
    page = asyncio.run(read_merged(_Slots(), query, read)).rows
    every = [RecordId(moment, shard) for moment in range(3 * 64) for shard in range(4)]
    assert [key_of(row) for row in page] == sorted(every, reverse=order is Order.desc)[:700]
    assert largest == AT_ONCE


def test_an_error_of_one_shard_stops_the_others_and_is_raised() -> None:
    stopped: list[int] = []

    async def read(_held: Runs, scope: Scope) -> int:
        [shard] = scope.shards
        try:
            if shard == 1:
                raise Unavailable("shard 1 does not answer")
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            # A cancelled statement closes its connection before it ends.
            await asyncio.sleep(0)
            stopped.append(shard)
            raise
        return shard

    store = _Slots()
    with pytest.raises(Unavailable, match="shard 1"):
        asyncio.run(read_each_table(store, SCOPE, read))
    assert stopped == [0, 2]
