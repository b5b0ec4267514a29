"""Makes the answer of `| stats` from the values that ClickHouse returned."""

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

from backend.language.print import print_field
from backend.language.print_stats import print_call
from backend.language.stats_nodes import LEVELS, Function, Stats
from backend.logs.values import json_integer
from backend.stats.schemas import Cell, StatsColumn, StatsGroups
from backend.store.compile.stats import QUANTILE_ERROR, UNIQ_ERROR

_INTEGERS: Final = {Function.count: "records", Function.count_if: "records", Function.uniq: "values"}
"""Functions whose values are integers, and their units. Their value over no record is 0."""


def columns_of(stats: Stats) -> list[StatsColumn]:
    """Returns a column for each field after `by`, then a column for each function."""
    fields = [
        StatsColumn(name=print_field(each), kind="field", type="text", unit=None, error=None) for each in stats.by
    ]
    return fields + [
        StatsColumn(
            name=print_call(call),
            kind="function",
            type=_type(call.function),
            unit="records/s" if call.function is Function.rate else _INTEGERS.get(call.function),
            error=_error(call.function),
        )
        for call in stats.calls
    ]


def _type(function: Function) -> Literal["integer", "number"]:
    return "integer" if function in _INTEGERS else "number"


def _error(function: Function) -> float | None:
    if function in LEVELS:
        return QUANTILE_ERROR
    return UNIQ_ERROR if function is Function.uniq else None


def group_of(keys: Sequence[str]) -> list[str | None]:
    """Returns the values of a group's fields; None for a field that its records do not have."""
    return [key[1:] if key else None for key in keys]


def cells_of(stats: Stats, values: Sequence[Any], seconds: float) -> list[Cell]:
    """Returns the values of the functions, in their order. `seconds` is the length of the time from which records were
    counted."""
    return [_cell(call.function, value, seconds) for call, value in zip(stats.calls, values, strict=True)]


def empty_cells(stats: Stats) -> list[Cell]:
    """Returns the values that the functions have over no record."""
    return [
        0 if call.function in _INTEGERS else 0.0 if call.function is Function.rate else None for call in stats.calls
    ]


def groups_of(found: int, shown: int, *, is_complete: bool) -> StatsGroups:
    """Returns the numbers of groups. `is_complete` is true if all groups were compared."""
    return StatsGroups(found=found, shown=shown, complete=is_complete)


LATE: Final = (
    "the first records of further groups arrived while the answer was computed; `other` has the numbers of these "
    "groups together: send the query again to compare all groups"
)
"""Sentence about groups that were found only by the statement that computes the series."""


def left_out(found: int, shown: int, *, is_complete: bool) -> str | None:
    """Returns a sentence about the groups that are not shown; None if all groups are shown."""
    if found <= shown:
        return None
    if is_complete:
        return f"{found - shown:,} of {found:,} groups are not shown; `other` has the numbers of these groups together"
    return (
        f"there are at least {found:,} groups, too many to compare all of them, so a group that is not shown may rank "
        "higher than a shown one; the numbers of the shown groups are exact, and `other` has the numbers of all other "
        "groups together"
    )


def _cell(function: Function, value: Any, seconds: float) -> Cell:
    if function in _INTEGERS:
        return json_integer(int(value))
    if value is None:
        return None
    number = float(value) / seconds if function is Function.rate else float(value)
    return number if math.isfinite(number) else str(number)
