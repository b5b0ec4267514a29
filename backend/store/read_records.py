"""Reads records from few columns if their rows have a text in `record_json`, otherwise from all columns.

Small records have no such text, nor do rows from before migration 0008. Reading all columns is right for every row, and
only costs more than necessary for rows with a text (docs/decisions/0035).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cachetools import LRUCache

from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Rows, cost_of_phases
from backend.store.runs import Runs
from backend.store.scope import Scope
from backend.store.select_records import (
    select_by_keys,
    select_packed_by_keys,
    select_packed_page,
    select_page,
)
from backend.store.statement import Statement
from schema.columns import FlaggedRecord, PackedRecord, Record

MIN_SHARE: Final = 1.0
"""Smallest share of rows with a text at which only few columns are read first.

For rows without a text, a second statement then reads all columns. On most pages, this statement costs more than
reading few columns saves.
"""

KEPT_TENANTS: Final = 10_000


class PackedShares:
    """Remembers, by tenant, the share of rows read last that had a text in `record_json`.

    Use it from one event loop only.
    """

    def __init__(self) -> None:
        self._shares: LRUCache[int, float] = LRUCache(KEPT_TENANTS)

    def is_high(self, tenant_id: int) -> bool:
        """Returns true if the share of the tenant's rows with a text is at least MIN_SHARE.

        False before the first read.
        """
        return self._shares.get(tenant_id, 0.0) >= MIN_SHARE

    def count(self, tenant_id: int, packed: int, rows: int) -> None:
        """Remembers that `packed` of `rows` rows had a text. Ignores an answer without rows."""
        if rows:
            self._shares[tenant_id] = packed / rows


async def read_page(runs: Runs, query: Query, shares: PackedShares, result_bytes: int | None = None) -> Rows[Record]:
    """Returns the query's records. `result_bytes` is the largest answer of each statement.

    Raises what Executor.run raises.
    """
    whole = replace(select_page(query), result_bytes=result_bytes)
    if not shares.is_high(query.scope.tenant_id):
        return await _read_all_columns(runs, whole, shares)
    return await _read_few_columns(
        runs, replace(select_packed_page(query), result_bytes=result_bytes), whole, query.order, shares
    )


async def read_by_keys(
    runs: Runs, scope: Scope, keys: Sequence[RecordId], order: Order, shares: PackedShares
) -> Rows[Record]:
    """Returns the records with these keys in `order`, without those that retention has dropped.

    Takes at least one key. Raises what Executor.run raises.
    """
    whole = select_by_keys(scope, keys, order)
    if not shares.is_high(scope.tenant_id):
        return await _read_all_columns(runs, whole, shares)
    return await _read_few_columns(runs, select_packed_by_keys(scope, keys, order), whole, order, shares)


async def _read_all_columns(runs: Runs, whole: Statement[FlaggedRecord], shares: PackedShares) -> Rows[Record]:
    found = await runs.run(whole)
    shares.count(whole.tenant_id, sum(row.is_packed for row in found.rows), len(found.rows))
    return Rows([row.record for row in found.rows], found.cost, found.query_id)


async def _read_few_columns(
    runs: Runs, few: Statement[PackedRecord], whole: Statement[FlaggedRecord], order: Order, shares: PackedShares
) -> Rows[Record]:
    found = await runs.run(few)
    keys = [key_of(row) for row in found.rows if not row.record_json]
    shares.count(few.tenant_id, len(found.rows) - len(keys), len(found.rows))
    if not keys:
        return Rows(found.rows, found.cost, found.query_id)
    stored = await runs.run(replace(select_by_keys(few.scope, keys, order), result_bytes=few.result_bytes))
    if len(stored.rows) == len(keys):
        rest = iter(stored.rows)
        rows = [row if row.record_json else next(rest).record for row in found.rows]
        return Rows(rows, cost_of_phases(found.cost, stored.cost))
    # Retention dropped some rows between the two statements. One statement reads the page again, because a single
    # statement sees the rows of one moment.
    again = await _read_all_columns(runs, whole, shares)
    return Rows(again.rows, cost_of_phases(found.cost, stored.cost, again.cost))
