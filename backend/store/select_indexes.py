"""Statements about tables instead of records: the size of a scope and the indexes of its tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from backend.store.scope import Scope
from backend.store.statement import Statement, SystemStatement, SystemTable, only_value
from schema.clickhouse.minute_counts import NAME as MINUTE_COUNTS
from schema.clickhouse.tables import table_name


class TableEstimate(NamedTuple):
    """Number of parts, rows and granules that the primary key leaves in one table, from EXPLAIN ESTIMATE."""

    database: str
    table: str
    parts: int
    rows: int
    granules: int


class IndexKinds(NamedTuple):
    """Number of indexes of each kind on words. `is_lazy`: the server reads wide columns last."""

    text_indexes: int
    token_filters: int
    is_lazy: bool


class IndexSize(NamedTuple):
    """One skip index of a scope's tables, with its compressed bytes."""

    name: str
    bytes: int


def estimate(scope: Scope) -> Statement[TableEstimate]:
    """Returns the statement for the rows and granules that the primary key leaves in the scope, which has one table.

    EXPLAIN ESTIMATE sees local tables only.
    """
    return Statement(scope, "id", tuple).explained("ESTIMATE ", TableEstimate._make)


def select_index_kinds(scope: Scope) -> SystemStatement[IndexKinds]:
    """Returns the statement for the indexes on folded bodies of the scope's table. The scope has one."""
    return SystemStatement(
        "countIf(type = 'text'), countIf(type = 'tokenbf_v1'),\n"
        "  getSettingOrDefault('query_plan_optimize_lazy_materialization', 0)",
        _index_kinds,
        SystemTable.indexes,
        condition=f"{_OF_TABLES} AND expr = 'lower(body)'",
        parameters={"tables": [table_name(lane) for lane in scope.lanes]},
        tenant_id=scope.tenant_id,
        shards=scope.shards,
    )


def select_index_sizes(scope: Scope) -> SystemStatement[IndexSize]:
    """Returns the statement for the name and stored bytes of each skip index of the scope's table. The scope has
    one."""
    return SystemStatement(
        "name, sum(data_compressed_bytes)",
        IndexSize._make,
        SystemTable.indexes,
        condition=_OF_TABLES,
        rest="GROUP BY name",
        parameters={"tables": [table_name(lane) for lane in scope.lanes]},
        tenant_id=scope.tenant_id,
        shards=scope.shards,
    )


def select_minute_counts(scope: Scope) -> SystemStatement[int]:
    """Returns the statement that gives 1 if the scope's only table has minute counts, otherwise 0."""
    return SystemStatement(
        "count()",
        only_value,
        SystemTable.projections,
        condition=f"{_OF_TABLES} AND name = {{name:String}}",
        parameters={"tables": [table_name(lane) for lane in scope.lanes], "name": MINUTE_COUNTS},
        tenant_id=scope.tenant_id,
        shards=scope.shards,
    )


_OF_TABLES = "database = currentDatabase() AND table IN {tables:Array(String)}"


def _index_kinds(row: Sequence[Any]) -> IndexKinds:
    text_indexes, token_filters, is_lazy = row
    return IndexKinds(text_indexes, token_filters, bool(is_lazy))
