"""Syntax tree of `| stats`: functions, groups, order and limit. `parse_stats` builds it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from backend.language.fields import Field
from backend.language.nodes import Node

DEFAULT_LIMIT: Final = 100
"""Number of groups that are shown where the text has no `| limit`."""
MAX_LIMIT: Final = 1_000
"""Largest number of groups that `| limit` may name."""
MAX_CALLS: Final = 16
"""Largest number of functions."""
MAX_FIELDS: Final = 8
"""Largest number of fields after `by`."""


class Function(Enum):
    """A function over the matching records of a group. Not a `StrEnum`: `count` would hide the method of `str`."""

    count = "count"
    count_if = "count_if"
    rate = "rate"
    uniq = "uniq"
    sum = "sum"
    avg = "avg"
    min = "min"
    max = "max"
    p50 = "p50"
    p90 = "p90"
    p95 = "p95"
    p99 = "p99"

    def __str__(self) -> str:
        return self.value


LEVELS: Final = {Function.p50: 0.5, Function.p90: 0.9, Function.p95: 0.95, Function.p99: 0.99}
"""Levels of the quantiles, between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its argument.

    `count` and `rate` have none, `count_if` has a query, and all other functions have a field.
    """

    function: Function
    argument: Field | Node | None = None


@dataclass(frozen=True, slots=True)
class Sort:
    """The order of groups: by a function's value, or by the text of a field that is among the groups' fields."""

    key: Call | Field
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Stats:
    """Functions over groups of records that have equal values of the fields `by`.

    `interval_ns` is the width of the time buckets in nanoseconds; None where there are none. `sort` is None where the
    text has no `| sort`. It is None and `limit` is DEFAULT_LIMIT where `by` is empty.
    """

    calls: tuple[Call, ...]
    by: tuple[Field, ...] = ()
    interval_ns: int | None = None
    sort: Sort | None = None
    limit: int = DEFAULT_LIMIT

    @property
    def ranking(self) -> Sort:
        """Returns the order of the groups. Without `sort`, groups with the largest value of the first function come
        first."""
        return self.sort or Sort(self.calls[0], is_descending=True)


@dataclass(frozen=True, slots=True)
class StatsQuery:
    """A query, and the numbers over the records that it matches."""

    matching: Node
    stats: Stats
