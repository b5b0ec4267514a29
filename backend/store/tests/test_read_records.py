"""Tests that records are the same from few columns and from all, on pages that need both, and after retention."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from backend.language.nodes import MatchAll
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.query import Query
from backend.store.read_records import KEPT_TENANTS, MIN_SHARE, PackedShares, read_by_keys, read_page
from backend.store.record_id import key_of
from backend.store.rows import Cost, Rows
from backend.store.scope import Scope, TimeRange
from backend.store.select_records import FLAGGED_COLUMNS, PACKED_COLUMNS
from backend.store.statement import Statement
from backend.store.tests.fake_log_store import LARGE, answered, stored_row
from schema.columns import PackedRecord, StoredRecord

R = TypeVar("R")

TENANT = 7
SCOPE = Scope(TENANT, (0,), ("r30",), TimeRange(0, 1_000))
QUERY = Query(SCOPE, compile_filter(MatchAll()), Order.desc, 100)
LONG, SMALL = "x" * LARGE, "short"


class Store:
    """Has rows, newest first, which `drop` may remove before a statement. Answers with all rows, or those of keys."""

    def __init__(self, bodies: Sequence[str], drop: Callable[[int], int] = lambda _: 0) -> None:
        self.rows = [stored_row(len(bodies) - number, number, body) for number, body in enumerate(bodies)]
        self.columns: list[str] = []
        self.result_bytes: list[int | None] = []
        self._drop = drop

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        dropped = self._drop(len(self.columns))
        self.rows = self.rows[: len(self.rows) - dropped]
        self.columns.append(statement.columns)
        self.result_bytes.append(statement.result_bytes)
        found = [row for row in self.rows if "IN ((" not in statement.sql or f"'{row.id}')" in statement.sql]
        return Rows([statement.row(answered(row, statement.columns)) for row in found], Cost(1.0, len(found)))


def shares(share: float) -> PackedShares:
    known = PackedShares()
    known.count(TENANT, round(share * 1_000), 1_000)
    return known


def read(store: Store, known: PackedShares, by_keys: bool = False) -> Rows[StoredRecord | PackedRecord]:
    keys = [key_of(row) for row in store.rows]
    if by_keys:
        return asyncio.run(read_by_keys(store, SCOPE, keys, Order.desc, known))
    return asyncio.run(read_page(store, QUERY, known, 5_000))


@pytest.mark.parametrize("by_keys", [False, True])
@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("bodies", [[LONG] * 5, [SMALL] * 5, [LONG, SMALL, SMALL, LONG, SMALL], [SMALL, LONG], []])
def test_any_page_has_the_same_records_from_few_columns_and_from_all(
    bodies: list[str], share: float, by_keys: bool
) -> None:
    if by_keys and not bodies:
        return
    store = Store(bodies)
    found = read(store, shares(share), by_keys)
    assert [(key_of(row), row.body) for row in found.rows] == [(key_of(row), row.body) for row in store.rows]
    assert all(row.record_json if isinstance(row, PackedRecord) else row in store.rows for row in found.rows)


def test_few_columns_are_read_where_the_last_rows_had_texts() -> None:
    known = PackedShares()
    store = Store([LONG] * 3)
    read(store, known)
    read(store, known)
    store.rows = [row._replace(body=SMALL) for row in store.rows]
    read(store, known)
    read(store, known)
    assert store.columns == [FLAGGED_COLUMNS, PACKED_COLUMNS, PACKED_COLUMNS, FLAGGED_COLUMNS, FLAGGED_COLUMNS]
    assert set(store.result_bytes) == {5_000}


def test_a_page_without_rows_says_nothing_about_the_next() -> None:
    known = shares(MIN_SHARE)
    read(Store([]), known)
    assert known.is_high(TENANT)
    assert not known.is_high(TENANT + 1)


def test_only_rows_without_a_text_are_read_again() -> None:
    store = Store([SMALL, LONG, LONG])
    found = read(store, shares(1))
    assert store.columns == [PACKED_COLUMNS, FLAGGED_COLUMNS]
    assert found.cost.rows_read == 4
    assert [type(row) for row in found.rows] == [StoredRecord, PackedRecord, PackedRecord]


@pytest.mark.parametrize("by_keys", [False, True])
def test_a_page_has_the_rows_of_one_moment_when_retention_drops_some_meanwhile(by_keys: bool) -> None:
    store = Store([LONG, SMALL, LONG, SMALL], drop=lambda number: int(number == 1))
    found = read(store, shares(1), by_keys)
    assert store.columns == [PACKED_COLUMNS, FLAGGED_COLUMNS, FLAGGED_COLUMNS]
    assert [row.id for row in found.rows] == [row.id for row in store.rows] == [0, 1, 2]


def test_shares_of_few_tenants_are_kept() -> None:
    known = PackedShares()
    for tenant_id in range(KEPT_TENANTS + 1):
        known.count(tenant_id, 1, 1)
    assert not known.is_high(0)
    assert known.is_high(1)
    assert known.is_high(KEPT_TENANTS)
