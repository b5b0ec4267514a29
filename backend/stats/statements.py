"""Builds the statements of `| stats`: they find the groups, and compute the functions of chosen groups and of all other
groups together.

The name of a group is the hexadecimal form of a 128-bit hash of its keys. So statements stay small even if values are
long, and equal values of different fields never give the same name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeVar

from backend.language.fields import Field
from backend.language.stats_nodes import Stats
from backend.store.compile.filter import Filter
from backend.store.compile.stats import StatsColumns
from backend.store.scope import Scope
from backend.store.statement import Parameter, Statement
from backend.store.time_buckets import Buckets

R = TypeVar("R")

OTHER: Final = ""
"""Name of the group that stands for all groups that are not chosen."""
RESULT_BYTES: Final = 16 * 2**20
"""Largest answer of a statement, in bytes. Values of fields may be long. The largest series take about 10 MB."""


class Group(NamedTuple):
    """A group with the values of all functions. `found` is the number of all groups; 0 if they were not counted."""

    name: str
    found: int
    keys: Sequence[str]
    values: Sequence[Any]
    is_other: bool = False
    """True for the group that stands for all groups that are not chosen. The group of all records has the same name."""


OTHERS: Final = Group(OTHER, 0, (), (), is_other=True)
"""The group that stands for all groups that are not chosen, without values."""
ALL: Final = Group(OTHER, 1, (), ())
"""The group of all records, for stats without fields."""


class RankedName(NamedTuple):
    """The name of a group, and the number of all groups."""

    name: str
    found: int


class Point(NamedTuple):
    """Values of all functions over the records of one group in one bucket, numbered from the Unix epoch."""

    name: str
    bucket: int
    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class ScopedStats:
    """Input of every statement: the stats, and the scope and the filter of the records."""

    scope: Scope
    matching: Filter
    stats: Stats
    columns: StatsColumns
    settings: Mapping[str, int]
    by_minute: bool = False
    """True if the statements may read minute counts. All functions are counts then."""

    @property
    def calls(self) -> list[str]:
        """Returns the functions as SQL, each with the alias by which the outer SELECT names it."""
        return [f"{sql} AS f{place}" for place, sql in enumerate(self.columns.calls)]

    @property
    def sums(self) -> dict[str, str]:
        """Returns the columns of all functions, each with the function that adds up counts."""
        return dict.fromkeys(_names("f", self.calls), "sum")

    @property
    def rank(self) -> dict[str, str]:
        """Returns the column `ranked` with the function that makes one value from the values of a group's two rows."""
        return {"ranked": "any" if isinstance(self.stats.ranking.key, Field) else "sum"}

    @property
    def order(self) -> str:
        """Returns the terms of ORDER BY for `ranked`. Groups without a number, or without the field, come last."""
        ranking = self.stats.ranking
        direction = "DESC" if ranking.is_descending else "ASC"
        by_field = "ranked = '', " if isinstance(ranking.key, Field) else ""
        return f"{by_field}ranked {direction} NULLS LAST"

    def ranked(self, key: str) -> str:
        """Returns the SQL of the value by which groups are sorted. This is a function, or a key, which is inserted into
        the template `key`."""
        ranking = self.stats.ranking.key
        if isinstance(ranking, Field):
            return key.format(self.columns.keys[self.stats.by.index(ranking)])
        return self.columns.calls[self.stats.calls.index(ranking)]


def all_records(requested: ScopedStats) -> Statement[Group]:
    """Returns the statement that computes the functions over all records, as one group."""
    counted = _select(requested, requested.calls, "", lambda row: Group(OTHER, 1, (), row))
    return _together(requested, counted, (), requested.sums)


def first_groups(requested: ScopedStats, max_groups: int, *, with_values: bool = True) -> Statement[Group]:
    """Returns the statement that reads the first groups in order, one more than the limit.

    Without `with_values`, the groups have no values. If there are fewer than `max_groups` groups, all values are exact.
    Otherwise groups may be missing, and values may lack records.
    """
    keys = [f"{sql} AS k{place}" for place, sql in enumerate(requested.columns.keys)]
    names = _names("k", requested.columns.keys)
    calls = requested.calls if with_values else []
    ranked = f"{requested.ranked('{}')} AS ranked"
    width = len(names)
    functions = _names("f", calls)
    grouped = _select(requested, [*keys, *calls, ranked], f"GROUP BY {', '.join(names)}", tuple)
    grouped = _together(requested, grouped, names, dict.fromkeys(functions, "sum") | requested.rank)
    ordered = grouped.over(
        ", ".join([f"{_hash(names)} AS name", "count() OVER () AS found", *names, *functions]),
        f"ORDER BY {requested.order}, {', '.join(names)} LIMIT {{most:UInt32}}",
        lambda row: Group(row[0], row[1], row[2 : 2 + width], row[2 + width :]),
        {"most": requested.stats.limit + 1},
    )
    return replace(ordered, max_groups=max_groups)


def first_names(requested: ScopedStats, max_groups: int) -> Statement[RankedName]:
    """Returns the statement that reads the names of the first groups. It needs little memory for each group.

    If there are `max_groups` groups or more, the order may be wrong. Equal groups are in no particular order.
    """
    grouped = _select(
        requested,
        [f"{_hash(requested.columns.keys)} AS name", f"{requested.ranked('any({})')} AS ranked"],
        "GROUP BY name",
        tuple,
    )
    grouped = _together(requested, grouped, ["name"], requested.rank)
    ordered = grouped.over(
        "name, count() OVER () AS found",
        f"ORDER BY {requested.order}, name LIMIT {{most:UInt32}}",
        RankedName._make,
        {"most": requested.stats.limit},
    )
    return replace(ordered, max_groups=max_groups)


def chosen_groups(requested: ScopedStats, chosen: Sequence[str], *, with_values: bool = True) -> Statement[Group]:
    """Returns the statement that computes the functions of each chosen group and of all other groups together. The
    chosen groups are in order, and the other groups come last. Without `with_values`, the groups have no values."""
    keys = [f"any({sql}) AS k{place}" for place, sql in enumerate(requested.columns.keys)]
    names, width = _names("k", requested.columns.keys), len(requested.columns.keys)
    calls = requested.calls if with_values else []
    grouped = _select(
        requested,
        [_place(requested), *keys, *calls, f"{requested.ranked('any({})')} AS ranked"],
        "GROUP BY place",
        tuple,
        {"chosen": list(chosen)},
    )
    functions = _names("f", calls)
    aggregates = dict.fromkeys(names, "any") | dict.fromkeys(functions, "sum") | requested.rank
    grouped = _together(requested, grouped, ["place"], aggregates)
    return grouped.over(
        ", ".join(["place", *names, *functions]),
        f"ORDER BY place = '', {requested.order}, {', '.join(names)}",
        lambda row: Group(row[0], 0, row[1 : 1 + width], row[1 + width :], is_other=row[0] == OTHER),
        {},
    )


def series_of_groups(requested: ScopedStats, interval_ns: int, chosen: Sequence[str]) -> Statement[Point]:
    """Returns the statement that computes the functions in each bucket, for each chosen group and for all other groups
    together."""
    place = _place(requested) if requested.columns.keys else "'' AS place"
    counted = _select(
        requested,
        [place, f"{Buckets(interval_ns, requested.by_minute).sql} AS bucket", *requested.calls],
        "GROUP BY place, bucket",
        lambda row: Point(row[0], row[1], row[2:]),
        {"chosen": list(chosen), "width_ns": interval_ns} if requested.columns.keys else {"width_ns": interval_ns},
    )
    return _together(requested, counted, ["place", "bucket"], requested.sums)


def _select(
    requested: ScopedStats, columns: Sequence[str], rest: str, row: Any, values: Mapping[str, Parameter] | None = None
) -> Statement[Any]:
    return Statement(
        requested.scope,
        ", ".join(columns),
        row,
        matching=requested.matching,
        rest=rest,
        values={**requested.columns.parameters, **(values or {})},
        settings=requested.settings,
        result_bytes=RESULT_BYTES,
        reads_all=True,
        by_minute=requested.by_minute,
    )


def _together(
    requested: ScopedStats, counted: Statement[R], by: Sequence[str], aggregates: Mapping[str, str]
) -> Statement[R]:
    """Returns the statement with one row for each group. A statement that may read minute counts has up to two rows
    for each group.

    `by` are the columns of `counted` that name a group. `aggregates` has the other columns in their order, each with
    the function that makes one value of two.
    """
    if not requested.by_minute:
        return counted
    columns = [*by, *(f"{aggregate}({name}) AS {name}" for name, aggregate in aggregates.items())]
    return counted.over(", ".join(columns), f"GROUP BY {', '.join(by)}" if by else "", counted.row, {})


def _names(letter: str, expressions: Sequence[str]) -> list[str]:
    return [f"{letter}{place}" for place in range(len(expressions))]


def _hash(keys: Sequence[str]) -> str:
    return f"lower(hex(sipHash128({', '.join(keys)})))"


def _place(requested: ScopedStats) -> str:
    name = _hash(requested.columns.keys)
    return f"if({name} IN {{chosen:Array(String)}}, {name}, '{OTHER}') AS place"
