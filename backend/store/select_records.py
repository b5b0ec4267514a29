"""Statements that read records: the first records of a query, their keys, and records by key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Parameter, Reads, Statement
from backend.store.tables import time_sql
from backend.times import format_time
from schema.columns import FlaggedRecord, PackedRecord, StoredRecord

R = TypeVar("R")


def _selected(names: Sequence[str]) -> str:
    return ", ".join(
        f"toUnixTimestamp64Nano({name}) AS {name}_ns" if name in {"timestamp", "observed_timestamp"} else name
        for name in names
    )


RECORD_COLUMNS: Final = _selected(StoredRecord._fields)
"""All columns of a record."""

FLAGGED_COLUMNS: Final = f"{RECORD_COLUMNS}, notEmpty(record_json) AS is_packed"
"""All columns of a record, and whether the row has a text in `record_json`."""

PACKED_COLUMNS: Final = _selected(PackedRecord._fields)
"""Columns of a record whose row has a text in `record_json`."""

INDEXES_FIRST: Final[Mapping[str, int]] = MappingProxyType({"use_skip_indexes_on_data_read": 0})
"""Settings that check all skip indexes before any data is read.

The default since 26.1 checks them while reading. A filter by service then does not save the checks of token filters in
its granules, which took 22 ms instead of 4 (ClickHouse #108330 calls it a regression). The server also did not say
how many rows the indexes left.
"""

SCATTERED_READS: Final[Mapping[str, int]] = MappingProxyType(
    {**INDEXES_FIRST, "merge_tree_min_rows_for_concurrent_read": 1, "merge_tree_min_bytes_for_concurrent_read": 1}
)
"""Settings by which ClickHouse divides even a few granules among threads. Reading one row from each of a hundred
granules takes 105 ms instead of 180 with two threads."""

IN_ORDER: Final[Mapping[str, int]] = MappingProxyType({**SCATTERED_READS, "use_top_k_dynamic_filtering": 0})
"""Settings for rows that are read in the order of the page.

A filter on the best rows so far (25.12) saves nothing in that order. With a row policy it also keeps the text index
from answering instead of the bodies (26.7): pages of a frequent word took 53 ms of CPU instead of 19, of a rare one 660
instead of 310.
"""

WITHOUT_DICTIONARY: Final[Mapping[str, int]] = MappingProxyType(
    {**IN_ORDER, "use_text_index_like_evaluation_by_dictionary_scan": 0}
)
"""Like IN_ORDER, but a part of a word is searched in the bodies and not in the dictionary of a text index."""


def select_page(query: Query) -> Statement[FlaggedRecord]:
    """Returns the statement for the query's records.

    Its order is that of the sorting key, so ClickHouse reads in this order and stops at the limit.
    """
    return _select_first(FLAGGED_COLUMNS, _flagged, query, Reads.page)


def select_packed_page(query: Query) -> Statement[PackedRecord]:
    """Like `select_page`, but reads only the packed columns. For rows with a text in `record_json`."""
    return _select_first(PACKED_COLUMNS, PackedRecord._make, query, Reads.page)


def select_keys(query: Query) -> Statement[RecordId]:
    """Returns the statement for the keys of the records that `select_page` returns."""
    return _select_first("toUnixTimestamp64Nano(timestamp), id", _key, query, Reads.keys)


def select_by_keys(scope: Scope, keys: Sequence[RecordId], order: Order) -> Statement[FlaggedRecord]:
    """Returns the statement for the records with these keys, in `order`. Takes at least one key."""
    return _select_by_keys(FLAGGED_COLUMNS, _flagged, scope, keys, order)


def select_packed_by_keys(scope: Scope, keys: Sequence[RecordId], order: Order) -> Statement[PackedRecord]:
    """Like `select_by_keys`, but reads only the packed columns, as `select_packed_page` does."""
    return _select_by_keys(PACKED_COLUMNS, PackedRecord._make, scope, keys, order)


def select_record(scope: Scope, record: RecordId) -> Statement[StoredRecord]:
    """Returns the statement for one record, by its whole primary key."""
    return Statement(
        scope,
        RECORD_COLUMNS,
        StoredRecord._make,
        condition=f"timestamp = {time_sql('record_ns')} AND id = {{record_id:UInt128}}",
        rest="LIMIT 1",
        values={"record_ns": record.timestamp_ns, "record_id": record.id},
    )


def _select_by_keys(
    columns: str, row: Callable[[Sequence[Any]], R], scope: Scope, keys: Sequence[RecordId], order: Order
) -> Statement[R]:
    """Returns the statement for columns of the rows with these keys.

    Keys are literals that ClickHouse converts to the types of the key; a function call for each would take 4 ms more
    for a hundred keys. The scalar bounds prune partitions and granules, which the tuples alone do not on every server.
    """
    times = [key.timestamp_ns for key in keys]
    literals = ", ".join(f"({scope.tenant_id}, '{_time_text(key.timestamp_ns)}', '{key.id}')" for key in keys)
    return Statement(
        replace(scope, time_range=TimeRange(min(times), max(times) + 1)),
        columns,
        row,
        condition=f"(tenant_id, timestamp, id) IN ({literals})",
        rest=_ordered(order),
        settings=SCATTERED_READS,
        reads=Reads.rows,
    )


def _select_first(columns: str, row: Callable[[Sequence[Any]], R], query: Query, reads: Reads) -> Statement[R]:
    after, order, condition = query.after, query.order, ""
    values: dict[str, Parameter] = {"limit": query.limit}
    if after is not None:
        beyond = "<" if order is Order.desc else ">"
        # The tuple alone does not prune by the primary key, but the scalar bound does.
        condition = (
            f"timestamp {beyond}= {time_sql('after_ns')}"
            f" AND (timestamp, id) {beyond} ({time_sql('after_ns')}, {{after_id:UInt128}})"
        )
        values |= {"after_ns": after.timestamp_ns, "after_id": after.id}
    return Statement(
        query.scope,
        columns,
        row,
        matching=query.matching,
        condition=condition,
        rest=f"{_ordered(order)}\nLIMIT {{limit:UInt32}}",
        values=values,
        settings=WITHOUT_DICTIONARY if query.tests_bodies else IN_ORDER,
        reads=reads,
    )


def _ordered(order: Order) -> str:
    direction = order.value.upper()
    return f"ORDER BY timestamp {direction}, id {direction}"


def _flagged(row: Sequence[Any]) -> FlaggedRecord:
    *values, is_packed = row
    return FlaggedRecord(StoredRecord._make(values), bool(is_packed))


def _key(row: Sequence[Any]) -> RecordId:
    return RecordId(*row)


def _time_text(ns: int) -> str:
    """Returns the time as text of a DateTime64(9, 'UTC')."""
    return format_time(ns)[:-1].replace("T", " ")
