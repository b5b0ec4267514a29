"""The statements that the executor runs: over the rows of one scope, or over data that belongs to no tenant.

No statement can be made from SQL text. This module writes the tables and the condition on the tenant from the scope.
Texts of users travel as parameters, never as SQL. A statement has no place for a SETTINGS clause, which would override
the setting that names its tenant to ClickHouse (docs/decisions/0010).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any, Generic, TypeVar

from backend.store import tables
from backend.store.compile.filter import Filter
from backend.store.scope import Scope
from backend.store.tables import Table
from schema.clickhouse.distributed import readable_name
from schema.clickhouse.query_user import INDEX_CATALOG, PROJECTION_CATALOG, WORK_LOG
from schema.usage import TABLE as USAGE

Parameter = str | int | float | Sequence[str]

R = TypeVar("R")
S = TypeVar("S")


class Reads(StrEnum):
    """Part of the records that a statement of a page reads: whole pages, only their keys, or rows by key."""

    page = "page"
    keys = "keys"
    rows = "rows"


@dataclass(frozen=True, slots=True)
class Statement(Generic[R]):
    """One SELECT over the rows of a scope. `columns`, `condition` and `rest` are SQL from this package."""

    scope: Scope
    columns: str
    row: Callable[[Sequence[Any]], R]
    """Makes a typed row from one row's values, which are in the order of `columns`."""
    table: Table = Table.logs
    matching: Filter | None = None
    """The query that the rows match; None for all rows of the scope."""
    condition: str = ""
    """A further condition, as SQL; empty for none."""
    rest: str = ""
    """SQL after the condition: GROUP BY, ORDER BY, LIMIT."""
    values: Mapping[str, Parameter] = field(default_factory=dict)
    """Parameters that `columns`, `condition` and `rest` name."""
    around: tuple[str, str] = ("", "")
    """SQL before and after the SELECT: an EXPLAIN, or a SELECT over its rows."""
    reads: Reads | None = None
    """Part of the records that a statement of a page reads; None for all other statements."""
    reads_all: bool = False
    """True for a statement that reads its whole range, such as a count; false for one that stops early."""
    by_minute: bool = False
    """True for a count that may read minute counts (backend/store/minute_counts.py). It has a SELECT of the range's
    whole minutes, and one of the rest if there is one. Each has its own groups, so a group may occur twice."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Server settings for this statement alone. A setting that the server does not know is not sent."""
    result_bytes: int | None = None
    """Largest answer in bytes, if it must be smaller than the answer of a search."""
    max_groups: int | None = None
    """Number of groups after which ClickHouse leaves out further groups of GROUP BY; None for no such number.

    Each thread and each shard counts its own groups.
    """

    @property
    def shards(self) -> tuple[int, ...]:
        """Numbers of the shards that it reads. The server of the first one runs it."""
        return self.scope.shards

    @property
    def looks_up_words(self) -> bool:
        """Returns whether an index on the words of bodies may answer it faster."""
        return self.matching is not None and self.matching.clause.looks_up_words

    @property
    def tenant_id(self) -> int:
        """Number of the tenant whose rows ClickHouse allows the statement to read, whatever its SQL says."""
        return self.scope.tenant_id

    @property
    def all_settings(self) -> Mapping[str, int]:
        """Server settings for this statement alone, with those that its tables need."""
        return {**tables.settings(self.scope), **self._of_minute_counts, **self.settings}

    @property
    def _of_minute_counts(self) -> Mapping[str, int]:
        if not self.by_minute:
            return {}
        of_services = self.matching is not None and "service" in self.matching.clause.columns
        return tables.MINUTE_COUNTS if of_services else tables.MINUTE_COUNTS_ALONE

    @property
    def sql(self) -> str:
        """The SQL text that is sent."""
        if self.by_minute:
            select = "\nUNION ALL\n".join(map(self._select, tables.minute_conditions(self.scope)))
        else:
            select = self._select(tables.conditions(self.table, self.scope))
        before, behind = self.around
        return f"{before}{select}{behind}"

    def _select(self, of_rows: tuple[str, ...]) -> str:
        """Returns the SELECT over the rows of these conditions that match the query and the further condition."""
        further = ("" if self.matching is None else self.matching.sql, self.condition)
        where = "\n  AND ".join([*of_rows, *(f"({condition})" for condition in further if condition)])
        source = tables.source(self.table, self.scope)
        return f"SELECT {self.columns}\nFROM {source}\nWHERE {where}" + (f"\n{self.rest}" if self.rest else "")

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Values of all placeholders in `sql`, by name."""
        matching: Mapping[str, Parameter] = {} if self.matching is None else self.matching.parameters
        if self.by_minute:
            return {**tables.minute_parameters(self.scope), **matching, **self.values}
        return {**tables.parameters(self.table, self.scope), **matching, **self.values}

    def over(
        self, columns: str, rest: str, row: Callable[[Sequence[Any]], S], values: Mapping[str, Parameter]
    ) -> "Statement[S]":
        """Returns a SELECT of `columns` over the rows of this statement."""
        before, behind = self.around
        around = (f"SELECT {columns}\nFROM ({before}", f"{behind})\n{rest}")
        return _typed(replace(self, around=around, values={**self.values, **values}), row)

    def explained(self, how: str, row: Callable[[Sequence[Any]], S]) -> "Statement[S]":
        """Returns the EXPLAIN of this statement. Over several shards it describes only the first one."""
        return _typed(replace(self, around=(f"EXPLAIN {how}{self.around[0]}", self.around[1])), row)


class SystemTable(Enum):
    """Tables that a statement without a scope may read. None of them has records of a tenant."""

    nothing = ""
    indexes = INDEX_CATALOG
    """Name, kind and size of the skip indexes of the tables that the query user may read."""
    projections = PROJECTION_CATALOG
    """Names of the projections of the tables that the query user may read."""
    usage = USAGE
    """Counts of requests, records and bytes of all tenants. The query user sees none of its rows."""
    work = WORK_LOG
    """Work of statements that have ended. The query user sees only its own statements for the same tenant."""


@dataclass(frozen=True, slots=True)
class SystemStatement(Generic[R]):
    """One SELECT over data without tenants: a probe, the catalogue of indexes, an operator's sums of usage."""

    columns: str
    row: Callable[[Sequence[Any]], R]
    table: SystemTable = SystemTable.nothing
    condition: str = ""
    rest: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    tenant_id: int = 0
    """Number of the tenant in whose queue it waits; 0 for none."""
    reads_all: bool = False
    settings: Mapping[str, int] = field(default_factory=dict)
    result_bytes: int | None = None
    max_groups: int | None = None
    shards: tuple[int, ...] = (0,)
    """Numbers of the shards that it reads: one, or all of them, whose usage is read together."""

    @property
    def all_settings(self) -> Mapping[str, int]:
        """Server settings for this statement alone."""
        return self.settings

    @property
    def looks_up_words(self) -> bool:
        """Always false: none of these tables has bodies."""
        return False

    @property
    def sql(self) -> str:
        """The SQL text that is sent."""
        table = readable_name(USAGE, len(self.shards)) if self.table is SystemTable.usage else self.table.value
        parts = (("FROM ", table), ("WHERE ", self.condition), ("", self.rest))
        return "\n".join([f"SELECT {self.columns}", *(before + part for before, part in parts if part)])


def _typed(statement: Statement[Any], row: Callable[[Sequence[Any]], S]) -> Statement[S]:
    """Returns the statement with rows of another type."""
    return replace(statement, row=row)


def only_value(row: Sequence[Any]) -> Any:
    """Returns the value of a row with one column, with the type that the client library gives it."""
    return row[0]
