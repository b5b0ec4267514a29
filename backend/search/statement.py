"""The SQL of every question the search service asks. Only here, and only from a Scope.

User text reaches ClickHouse as server-side parameters, never as SQL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backend.search.compile.filter import Filter
from backend.search.cursor import Order
from backend.search.record_id import RecordId
from backend.search.scope import Scope

Parameter = str | int | float | Sequence[str]

RECORD_COLUMNS: Final = (
    "toUnixTimestamp64Nano(timestamp) AS timestamp_ns",
    "id",
    "toUnixTimestamp64Nano(observed_timestamp) AS observed_ns",
    "severity_number",
    "severity_text",
    "service",
    "body",
    "body_truncated_bytes",
    "attributes",
    "attribute_types",
    "resource",
    "resource_types",
    "scope_name",
    "scope_version",
    "trace_id",
    "span_id",
    "flags",
    "event_name",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A SELECT with its parameters, ready to run or to explain.

    `tenant_id` is whose rows it may see: ClickHouse holds it to them whatever the SQL says. `reads_all` is whether it
    reads everything in its range, as counts do, and not only until it has enough.
    """

    sql: str
    parameters: Mapping[str, Parameter]
    tenant_id: int
    reads_all: bool = False


def select_page(scope: Scope, matching: Filter, order: Order, limit: int, after: RecordId | None) -> Statement:
    """At most `limit` records in `order`, those behind `after` where it is given.

    The order is the sorting key's, so ClickHouse reads in it and stops at the limit.
    """
    where, parameters = matching_rows(scope, matching)
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
        f"SELECT {', '.join(RECORD_COLUMNS)}\n"
        f"FROM {scope.table}\n"
        f"WHERE {where}\n"
        f"ORDER BY timestamp {direction}, id {direction}\n"
        "LIMIT {limit:UInt32}",
        parameters | {"limit": limit},
        scope.tenant_id,
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


def explain(statement: Statement) -> Statement:
    """What ClickHouse would read for a statement, as JSON."""
    return Statement(f"EXPLAIN indexes = 1, json = 1\n{statement.sql}", statement.parameters, statement.tenant_id)


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
