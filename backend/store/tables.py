"""The tables that have rows of tenants: their FROM clauses, and the conditions that limit a statement to a scope."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from backend.store.scope import Scope
from backend.store.time_buckets import whole_minutes
from schema.clickhouse.distributed import distributed_name, readable_name
from schema.clickhouse.fields_rollup import BUCKET_SECONDS, fields_table
from schema.clickhouse.minute_counts import MINUTE
from schema.clickhouse.tables import table_name
from schema.usage import TABLE as USAGE

Parameters = dict[str, str | int | float | list[str]]

MERGED_LANES: Final[Mapping[str, int]] = MappingProxyType({"query_plan_merge_filters": 0})
"""Settings by which ClickHouse keeps the row policy and the condition of a statement over several tables apart.

Otherwise an excluded word fails with NOT_FOUND_COLUMN_IN_BLOCK if the tables have a text index on bodies that no part
has (26.7). Counts over two tables took 243 to 259 ms instead of 370 to 412.
"""

MINUTE_COUNTS: Final[Mapping[str, int]] = MappingProxyType({"query_plan_direct_read_from_text_index": 0})
"""Settings of a statement that may read minute counts. Otherwise ClickHouse answers a condition on services from their
text index, record by record (26.7)."""

MINUTE_COUNTS_ALONE: Final[Mapping[str, int]] = MappingProxyType({**MINUTE_COUNTS, "use_skip_indexes": 0})
"""Settings of a statement that may read minute counts and has no condition on services. In parts without the counts, no
index helps it. Otherwise ClickHouse checks the indexes of all records before it chooses the counts, which took 2 of 15
ms (26.7)."""

NS: Final = 10**9
LAST_SECOND: Final = 2**32 - 1
"""Last second since the Unix epoch that ClickHouse's DateTime can hold."""


class Table(Enum):
    """A kind of table that has rows of tenants."""

    logs = "logs"
    fields = "fields"
    usage = "usage"


def source(table: Table, scope: Scope) -> str:
    """Returns the FROM clause: a table, or a table function over the tables of several lanes.

    It is made of numbers and fixed names only. Reading several lanes keeps the order of the sorting key.
    """
    if table is Table.usage:
        return readable_name(USAGE, len(scope.shards))
    if _reads_all_lanes(table, scope):
        return distributed_name(_ALL_LANES[table])
    tables = [readable_name(name, len(scope.shards)) for name in _lane_tables(table, scope)]
    return tables[0] if len(tables) == 1 else f"merge(currentDatabase(), '^({'|'.join(tables)})$')"


def settings(scope: Scope) -> Mapping[str, int]:
    """Returns the server settings of a statement over a scope: MERGED_LANES if it has several lanes."""
    return MERGED_LANES if len(scope.lanes) > 1 else {}


def conditions(table: Table, scope: Scope) -> tuple[str, ...]:
    """Returns the conditions that together select exactly the scope's rows of the table.

    The cohorts only choose partitions: all of a tenant's rows are in its cohorts. Without cohorts, every partition is
    chosen. With indexHint, ClickHouse does not read the column, which takes a tenth to a quarter of the CPU time of
    pages and counts over short columns.
    """
    match table:
        case Table.logs:
            times = f"timestamp >= {time_sql('start_ns')}", f"timestamp < {time_sql('end_ns')}"
            return (*_tenant_conditions(table, scope), *times)
        case Table.fields:
            return (*_tenant_conditions(table, scope), *_seconds("bucket"))
        case Table.usage:
            return (_TENANT, *_seconds("minute"))


def minute_conditions(scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Returns the conditions of SELECTs that together have exactly the scope's rows of the log table. The first SELECT
    has the rows of whole minutes, and chooses them by the minute. The second has the rows before and after these
    minutes; a range of whole minutes does not need it."""
    whole = (*_tenant_conditions(Table.logs, scope), *_seconds(MINUTE))
    within, (first, last) = scope.time_range, whole_minutes(scope.time_range)
    if (within.start_ns, within.end_ns) == (first * NS, last * NS):
        return (whole,)
    start, end = (f"toDateTime64(toDateTime({{{name}:UInt32}}, 'UTC'), 9, 'UTC')" for name in ("first", "last"))
    return whole, (*conditions(Table.logs, scope), f"(timestamp < {start} OR timestamp >= {end})")


def minute_parameters(scope: Scope) -> Parameters:
    """Returns the parameters of `minute_conditions`."""
    first, last = whole_minutes(scope.time_range)
    return parameters(Table.logs, scope) | {"first": first, "last": last}


def _tenant_conditions(table: Table, scope: Scope) -> tuple[str, ...]:
    cohorts = ("indexHint(cohort IN {cohorts:Array(String)})",) if scope.cohorts else ()
    lanes = ("_table IN {tables:Array(String)}",) if _reads_all_lanes(table, scope) else ()
    return (_TENANT, *lanes, *cohorts)


def parameters(table: Table, scope: Scope) -> Parameters:
    """Returns the parameters of `conditions`."""
    tenant: Parameters = {"tenant_id": scope.tenant_id}
    if scope.cohorts and table is not Table.usage:
        tenant["cohorts"] = list(scope.cohorts)
    if _reads_all_lanes(table, scope):
        tenant["tables"] = _lane_tables(table, scope)
    match table:
        case Table.logs:
            times: Parameters = {"start_ns": scope.time_range.start_ns, "end_ns": scope.time_range.end_ns}
            return tenant | times
        case Table.fields:
            first, last = counted_quarters(scope)
            return tenant | {"first": first, "last": last}
        case Table.usage:
            return tenant | {"first": scope.time_range.start_ns // NS, "last": scope.time_range.end_ns // NS}


def counted_quarters(scope: Scope) -> tuple[int, int]:
    """Returns the start of the first and the end of the last quarter of an hour in the scope's range, in seconds.

    Fields are counted by quarters of an hour.
    """
    first = scope.time_range.start_ns // NS // BUCKET_SECONDS * BUCKET_SECONDS
    last = -(-scope.time_range.end_ns // (NS * BUCKET_SECONDS)) * BUCKET_SECONDS
    return max(0, min(first, LAST_SECOND)), max(0, min(last, LAST_SECOND))


def time_sql(parameter: str) -> str:
    """Returns SQL for the time in a parameter, which has nanoseconds since the Unix epoch."""
    return f"fromUnixTimestamp64Nano({{{parameter}:Int64}}, 'UTC')"


_ALL_LANES: Final = {Table.logs: "logs_all", Table.fields: "fields_all"}


def _reads_all_lanes(table: Table, scope: Scope) -> bool:
    """Returns true if the statement reads several lanes of all shards, and so chooses them by a condition."""
    return table is not Table.usage and len(scope.lanes) > 1 and len(scope.shards) > 1


def _lane_tables(table: Table, scope: Scope) -> list[str]:
    name = table_name if table is Table.logs else fields_table
    return [name(lane) for lane in scope.lanes]


_TENANT: Final = "tenant_id = {tenant_id:UInt32}"


def _seconds(column: str) -> tuple[str, str]:
    return f"{column} >= toDateTime({{first:UInt32}}, 'UTC')", f"{column} < toDateTime({{last:UInt32}}, 'UTC')"
