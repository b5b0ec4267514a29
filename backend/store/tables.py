"""The tables that have rows of tenants: their FROM clauses, and the conditions that limit a statement to a scope."""

from enum import Enum
from typing import Final

from backend.store.scope import Scope
from schema.clickhouse.distributed import distributed_name, readable_name
from schema.clickhouse.fields_rollup import BUCKET_SECONDS, fields_table
from schema.clickhouse.tables import table_name
from schema.usage import TABLE as USAGE

Parameters = dict[str, str | int | float | list[str]]

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


def conditions(table: Table, scope: Scope) -> tuple[str, ...]:
    """Returns the conditions that together select exactly the scope's rows of the table.

    The cohorts only choose partitions: all of a tenant's rows are in its cohorts. With indexHint, ClickHouse does not
    read the column, which takes a tenth to a quarter of the CPU time of pages and counts over short columns.
    """
    cohorts = "indexHint(cohort IN {cohorts:Array(String)})"
    lanes = ("_table IN {tables:Array(String)}",) if _reads_all_lanes(table, scope) else ()
    match table:
        case Table.logs:
            times = f"timestamp >= {time_sql('start_ns')}", f"timestamp < {time_sql('end_ns')}"
            return (_TENANT, *lanes, cohorts, *times)
        case Table.fields:
            return (_TENANT, *lanes, cohorts, *_seconds("bucket"))
        case Table.usage:
            return (_TENANT, *_seconds("minute"))


def parameters(table: Table, scope: Scope) -> Parameters:
    """Returns the parameters of `conditions`."""
    tenant: Parameters = {"tenant_id": scope.tenant_id}
    if _reads_all_lanes(table, scope):
        tenant["tables"] = _lane_tables(table, scope)
    match table:
        case Table.logs:
            times: Parameters = {"start_ns": scope.time_range.start_ns, "end_ns": scope.time_range.end_ns}
            return tenant | {"cohorts": list(scope.cohorts)} | times
        case Table.fields:
            first, last = counted_range(scope)
            return tenant | {"cohorts": list(scope.cohorts), "first": first, "last": last}
        case Table.usage:
            return tenant | {"first": scope.time_range.start_ns // NS, "last": scope.time_range.end_ns // NS}


def counted_range(scope: Scope) -> tuple[int, int]:
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
