"""The SQL of every question the search service asks. Only here, and only from a Scope.

User text reaches ClickHouse as server-side parameters, never as SQL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.order import Order
from backend.store.plans.question import PageQuestion
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange
from backend.store.stored_record import RECORD_FIELDS
from backend.times import format_time
from schema.clickhouse.tables import table_name

Parameter = str | int | float | Sequence[str]

RECORD_COLUMNS: Final = tuple(
    f"toUnixTimestamp64Nano({name}) AS {name}_ns" if name in {"timestamp", "observed_timestamp"} else name
    for name in RECORD_FIELDS
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A SELECT with its parameters, ready to run or to explain.

    `tenant_id` is whose rows it may see: ClickHouse holds it to them whatever the SQL says. `reads_all` is whether it
    reads everything in its range, as counts do, and not only until it has enough. `settings` are the server's settings
    for this statement alone; one that it does not know is not sent. `result_bytes` is the largest answer, where
    a search's would be too large. `shard` is whose server is asked: the first one reads all shards, what the others are
    asked is about themselves.
    """

    sql: str
    parameters: Mapping[str, Parameter]
    tenant_id: int
    reads_all: bool = False
    settings: Mapping[str, int] = field(default_factory=dict)
    shard: int = 0
    result_bytes: int | None = None


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


def select_page(question: PageQuestion) -> Statement:
    """The records asked for.

    The order is the sorting key's, so ClickHouse reads in it and stops at the limit.
    """
    return _select_first(", ".join(RECORD_COLUMNS), question)


def select_keys(question: PageQuestion) -> Statement:
    """The keys (nanoseconds, id) of what `select_page` gives."""
    return _select_first("toUnixTimestamp64Nano(timestamp), id", question)


def select_by_keys(scope: Scope, keys: Sequence[RecordId], order: Order) -> Statement:
    """The records with these keys, at least one, in `order`.

    Keys are literals, whose texts become values of the key's types: a function call each took 4 ms more a hundred. The
    scalar bounds prune partitions and granules, which the tuples alone do not on every server.
    """
    times = [key.timestamp_ns for key in keys]
    where, parameters = matching_rows(replace(scope, time_range=TimeRange(min(times), max(times) + 1)), None)
    literals = ", ".join(f"({scope.tenant_id}, '{_time_text(key.timestamp_ns)}', '{key.id}')" for key in keys)
    direction = order.value.upper()
    return Statement(
        f"SELECT {', '.join(RECORD_COLUMNS)}\n"
        f"FROM {scope.table}\n"
        f"WHERE {where}\n  AND (tenant_id, timestamp, id) IN ({literals})\n"
        f"ORDER BY timestamp {direction}, id {direction}",
        parameters,
        scope.tenant_id,
        settings=SCATTERED_READS,
    )


def _select_first(columns: str, question: PageQuestion) -> Statement:
    scope, after, order = question.scope, question.after, question.order
    where, parameters = matching_rows(scope, question.matching)
    if after is not None:
        beyond = "<" if order is Order.desc else ">"
        # The tuple alone does not prune by the primary key; the scalar bound does.
        where += (
            f" AND timestamp {beyond}= {_time('after_ns')}"
            f" AND (timestamp, id) {beyond} ({_time('after_ns')}, {{after_id:UInt128}})"
        )
        parameters |= {"after_ns": after.timestamp_ns, "after_id": after.id}
    direction = order.value.upper()
    return Statement(
        f"SELECT {columns}\n"
        f"FROM {scope.table}\n"
        f"WHERE {where}\n"
        f"ORDER BY timestamp {direction}, id {direction}\n"
        "LIMIT {limit:UInt32}",
        parameters | {"limit": question.limit},
        scope.tenant_id,
        settings=IN_ORDER,
    )


def select_record(scope: Scope, record: RecordId) -> Statement:
    """One record by its whole primary key."""
    where, parameters = matching_rows(scope, None)
    return Statement(
        f"SELECT {', '.join(RECORD_COLUMNS)}\n"
        f"FROM {scope.table}\n"
        f"WHERE {where} AND timestamp = {_time('record_ns')} AND id = {{record_id:UInt128}}\n"
        "LIMIT 1",
        parameters | {"record_ns": record.timestamp_ns, "record_id": record.id},
        scope.tenant_id,
    )


def count_buckets(scope: Scope, matching: Filter, interval_ns: int) -> Statement:
    """Rows per bucket of `interval_ns` (numbered from the epoch) and severity number."""
    where, parameters = matching_rows(scope, matching)
    return Statement(
        "SELECT intDiv(toUnixTimestamp64Nano(timestamp), {interval_ns:Int64}) AS bucket, severity_number,"
        " count() AS records\n"
        f"FROM {scope.table}\n"
        f"WHERE {where}\n"
        "GROUP BY bucket, severity_number",
        parameters | {"interval_ns": interval_ns},
        scope.tenant_id,
        reads_all=True,
    )


def explain(statement: Statement, shard: int) -> Statement:
    """What one shard's server would read of its own tables for a statement about those, as JSON."""
    return replace(statement, sql=f"EXPLAIN indexes = 1, json = 1\n{statement.sql}", shard=shard)


def estimate(scope: Scope) -> Statement:
    """Rows and granules that the primary key leaves of the scope, on one shard: it sees local tables only."""
    where, parameters = matching_rows(scope, None)
    sql = f"EXPLAIN ESTIMATE SELECT id FROM {scope.of_one_shard.table}\nWHERE {where}"
    return Statement(sql, parameters, scope.tenant_id)


def select_capabilities(scope: Scope) -> Statement:
    """How many tables of the scope have a text index and a token filter on folded bodies; whether reads are lazy."""
    return Statement(
        "SELECT countIf(type = 'text'), countIf(type = 'tokenbf_v1'),\n"
        "  getSettingOrDefault('query_plan_optimize_lazy_materialization', 0)\n"
        "FROM system.data_skipping_indices\n"
        "WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND expr = 'lower(body)'",
        {"tables": [table_name(lane) for lane in scope.lanes]},
        scope.tenant_id,
    )


def select_index_sizes(scope: Scope, shard: int) -> Statement:
    """Name and stored bytes of each skip index of the scope's tables on one shard."""
    return Statement(
        "SELECT name, sum(data_compressed_bytes) FROM system.data_skipping_indices\n"
        "WHERE database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY name",
        {"tables": [table_name(lane) for lane in scope.lanes]},
        scope.tenant_id,
        shard=shard,
    )


def matching_rows(scope: Scope, matching: Filter | None) -> tuple[str, dict[str, Parameter]]:
    """The condition and its parameters: the scope's rows, or those of them that match."""
    conditions = [
        "tenant_id = {tenant_id:UInt32}",
        "cohort IN {cohorts:Array(String)}",
        f"timestamp >= {_time('start_ns')}",
        f"timestamp < {_time('end_ns')}",
    ]
    parameters: dict[str, Parameter] = {
        "tenant_id": scope.tenant_id,
        "cohorts": list(scope.cohorts),
        "start_ns": scope.time_range.start_ns,
        "end_ns": scope.time_range.end_ns,
    }
    if matching is not None:
        conditions.append(f"({matching.sql})")
        parameters |= matching.parameters
    return "\n  AND ".join(conditions), parameters


def _time(parameter: str) -> str:
    return f"fromUnixTimestamp64Nano({{{parameter}:Int64}}, 'UTC')"


def _time_text(ns: int) -> str:
    """As ClickHouse reads a DateTime64(9, 'UTC')."""
    return format_time(ns)[:-1].replace("T", " ")
