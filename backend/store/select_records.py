"""Statements that read records: the first ones of a query, their keys, and the records with given keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Parameter, Statement
from backend.store.tables import time_sql
from backend.times import format_time
from schema.columns import StoredRecord

R = TypeVar("R")

RECORD_COLUMNS: Final = ", ".join(
    f"toUnixTimestamp64Nano({name}) AS {name}_ns" if name in {"timestamp", "observed_timestamp"} else name
    for name in StoredRecord._fields
)

INDEXES_FIRST: Final[Mapping[str, int]] = MappingProxyType({"use_skip_indexes_on_data_read": 0})
"""Skip indexes are all asked before anything is read. On data read (the default from 26.1 on) a filter by service does
not spare the token filters of its granules, which took 22 ms instead of 4 (ClickHouse #108330 calls it a regression);
and the server then cannot say how many rows the indexes left."""

SCATTERED_READS: Final[Mapping[str, int]] = MappingProxyType(
    {**INDEXES_FIRST, "merge_tree_min_rows_for_concurrent_read": 1, "merge_tree_min_bytes_for_concurrent_read": 1}
)
"""A hundred granules of one row each are shared among threads: 105 ms instead of 180 with two of them."""

IN_ORDER: Final[Mapping[str, int]] = MappingProxyType({**SCATTERED_READS, "use_top_k_dynamic_filtering": 0})
"""Rows come in the order of the page already, so that a filter on the best so far (25.12) spares nothing. Next to a row
policy it keeps the text index from answering in place of the bodies (26.7): pages of a frequent word took 53 ms of CPU
instead of 19, of a rare one 660 instead of 310."""


def select_page(query: Query) -> Statement[StoredRecord]:
    """Returns the statement for the query's records.

    The order is the sorting key's, so ClickHouse reads in it and stops at the limit.
    """
    return _select_first(RECORD_COLUMNS, StoredRecord._make, query)


def select_keys(query: Query) -> Statement[RecordId]:
    """Returns the statement for the keys of what `select_page` gives."""
    return _select_first("toUnixTimestamp64Nano(timestamp), id", _key, query)


def select_by_keys(scope: Scope, keys: Sequence[RecordId], order: Order) -> Statement[StoredRecord]:
    """Returns the statement for the records with these keys, at least one, in `order`.

    Keys are literals, whose texts become values of the key's types: a function call each took 4 ms more a hundred. The
    scalar bounds prune partitions and granules, which the tuples alone do not on every server.
    """
    times = [key.timestamp_ns for key in keys]
    literals = ", ".join(f"({scope.tenant_id}, '{_time_text(key.timestamp_ns)}', '{key.id}')" for key in keys)
    return Statement(
        replace(scope, time_range=TimeRange(min(times), max(times) + 1)),
        RECORD_COLUMNS,
        StoredRecord._make,
        condition=f"(tenant_id, timestamp, id) IN ({literals})",
        rest=_ordered(order),
        settings=SCATTERED_READS,
    )


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


def _select_first(columns: str, row: Callable[[Sequence[Any]], R], query: Query) -> Statement[R]:
    after, order, condition = query.after, query.order, ""
    values: dict[str, Parameter] = {"limit": query.limit}
    if after is not None:
        beyond = "<" if order is Order.desc else ">"
        # The tuple alone does not prune by the primary key; the scalar bound does.
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
        settings=IN_ORDER,
    )


def _ordered(order: Order) -> str:
    direction = order.value.upper()
    return f"ORDER BY timestamp {direction}, id {direction}"


def _key(row: Sequence[Any]) -> RecordId:
    return RecordId(*row)


def _time_text(ns: int) -> str:
    """Returns the time as ClickHouse reads a DateTime64(9, 'UTC')."""
    return format_time(ns)[:-1].replace("T", " ")
