"""The members of an alert rule that users choose, and their allowed values."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.alerts.channels import Channel
from backend.language.parse import parse_stats
from backend.language.print_stats import print_call
from backend.language.stats_nodes import Stats
from backend.saved_items import check_text
from kit.errors import InvalidRequest

MIN_INTERVAL_SECONDS: Final = 60
MAX_INTERVAL_SECONDS: Final = 86_400
"""Bounds of the seconds between two evaluations, both inclusive."""

MIN_RANGE_SECONDS: Final = 1
MAX_RANGE_SECONDS: Final = 7 * 86_400
MAX_FOR_SECONDS: Final = 7 * 86_400
MAX_GROUPS: Final = 100
"""Largest number of groups of a rule's query."""

MAX_LABELS: Final = 20
MAX_LABEL_CHARACTERS: Final = 200
MAX_LABELS_CHARACTERS: Final = 4_000
"""Largest number of characters in the names and values of all labels of one rule together. Each notice has them all."""
MAX_CHANNELS: Final = 5


class Comparison(StrEnum):
    """Comparison of a column with a threshold. `no_data` has no threshold; it is true if the column has no number or is
    0."""

    above = ">"
    at_least = ">="
    below = "<"
    at_most = "<="
    equal = "=="
    no_data = "no_data"


class Severity(StrEnum):
    info = "info"
    warning = "warning"
    critical = "critical"


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparison of a column with a threshold. `column` is the name of a function as the query's answer writes it."""

    column: str
    comparison: Comparison
    threshold: float | None


@dataclass(frozen=True, slots=True)
class RuleContent:
    """All members of a rule that users choose.

    Each evaluation reads the records of `range_seconds`. A group fires once the condition has held for `for_seconds`.
    """

    name: str
    query: str
    range_seconds: int
    interval_seconds: int
    condition: Condition
    for_seconds: int
    severity: Severity
    labels: dict[str, str]
    channels: tuple[Channel, ...]


def check_content(content: RuleContent) -> None:
    """Raises InvalidRequest for a value that is not allowed. `check_query` and `check_channel` check the query and the
    channels."""
    check_text("name", content.name)
    _check_number("interval_seconds", content.interval_seconds, MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS)
    _check_number("range_seconds", content.range_seconds, MIN_RANGE_SECONDS, MAX_RANGE_SECONDS)
    _check_number("for_seconds", content.for_seconds, 0, MAX_FOR_SECONDS)
    if len(content.labels) > MAX_LABELS:
        raise InvalidRequest(f"`labels` has {len(content.labels)} entries: give at most {MAX_LABELS}")
    for name, value in content.labels.items():
        check_text("labels", name, MAX_LABEL_CHARACTERS)
        check_text(f"labels.{name}", value, MAX_LABEL_CHARACTERS)
    if (size := sum(len(name) + len(value) for name, value in content.labels.items())) > MAX_LABELS_CHARACTERS:
        raise InvalidRequest(f"`labels` has {size:,} characters: give at most {MAX_LABELS_CHARACTERS:,}")
    if len(content.channels) > MAX_CHANNELS:
        raise InvalidRequest(f"`channels` has {len(content.channels)} entries: give at most {MAX_CHANNELS}")
    _check_threshold(content.condition)


def check_query(content: RuleContent) -> None:
    """Parses the query. Raises InvalidQuery, and InvalidRequest for a query that rules cannot evaluate."""
    stats = parse_stats(content.query).stats
    if stats.interval_ns is not None:
        raise InvalidRequest(
            "`query` has `time(…)`: leave it out, because an evaluation computes one number for each group"
        )
    if stats.limit > MAX_GROUPS:
        raise InvalidRequest(f"`query` has `| limit {stats.limit}`: write a limit of at most {MAX_GROUPS} groups")
    condition = content.condition
    if condition.comparison is Comparison.no_data and stats.by:
        raise InvalidRequest(
            "`condition.comparison` is `no_data`, and `query` has `by`: a group without records is not in the answer, "
            "so it cannot fire. Make a rule without `by` for each group"
        )
    column_index(stats, condition.column)


def column_index(stats: Stats, column: str) -> int:
    """Returns the index of a function among the cells of a row. Raises InvalidRequest if the query has no function
    `column`."""
    names = [print_call(call) for call in stats.calls]
    if column not in names:
        raise InvalidRequest(
            f"`condition.column` is `{column[:100]}`: give one of the functions in `query`: {', '.join(names)}"
        )
    return len(stats.by) + names.index(column)


def _check_threshold(condition: Condition) -> None:
    needs_none = condition.comparison is Comparison.no_data
    if needs_none != (condition.threshold is None):
        raise InvalidRequest(
            "`condition.threshold` must be null, because `no_data` compares with no number"
            if needs_none
            else f"`condition.threshold` is missing: give the number that `{condition.comparison}` compares with"
        )
    if condition.threshold is not None and not math.isfinite(condition.threshold):
        raise InvalidRequest("`condition.threshold` is not a finite number: give one such as 5 or 0.1")


def _check_number(member: str, value: int, smallest: int, largest: int) -> None:
    if not smallest <= value <= largest:
        raise InvalidRequest(f"`{member}` is {value}: it must be {smallest} to {largest}")
