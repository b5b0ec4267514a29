"""The parts of an answer with time buckets: a series for each group, and one for all other groups together."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from backend.answers.threads import AnswerThreads
from backend.language.durations import print_duration
from backend.logs.values import json_integer
from backend.stats.answer import LATE, cells_of, empty_cells, group_of, groups_of, left_out
from backend.stats.groups import Found, find_groups
from backend.stats.run import Run
from backend.stats.schemas import Cell, StatsGroups, StatsSeries
from backend.stats.statements import ALL, OTHER, OTHERS, Point, ScopedStats, series_of_groups
from backend.store.scope import TimeRange
from backend.store.time_buckets import bucket_numbers, seconds_within
from backend.times import format_time
from kit.errors import InvalidRequest

MAX_BUCKETS: Final = 1_000
"""Largest number of time buckets of one answer."""
MAX_CELLS: Final = 100_000
"""Largest number of values of one answer: series times buckets times functions."""


def check_buckets(time_range: TimeRange, interval_ns: int) -> None:
    """Raises InvalidRequest for a range that has too many buckets of this width."""
    buckets = len(bucket_numbers(time_range, interval_ns))
    if buckets > MAX_BUCKETS:
        raise InvalidRequest(
            f"time({print_duration(interval_ns)}) divides this range into {buckets:,} buckets, but an answer has at "
            f"most {MAX_BUCKETS:,}: write a larger width in time(…), or give a shorter range with start and end"
        )


@dataclass(frozen=True, slots=True)
class StatsOverTime:
    """Members of LogStats that an answer with time buckets has."""

    interval_ns: int | str
    buckets: list[str]
    series: list[StatsSeries]
    groups: StatsGroups
    left_out: str | None


async def read_series(run: Run, requested: ScopedStats, interval_ns: int, writers: AnswerThreads) -> StatsOverTime:
    """Returns a series for each group, or one for all records.

    The statement of the series may find groups whose first records arrived after the groups were chosen. These groups
    are in `other`, so that the series together always have all records of that statement. Raises InvalidRequest if the
    series of the chosen groups have too many values, and the errors of Executor.run.
    """
    buckets = bucket_numbers(requested.scope.time_range, interval_ns)
    found = await find_groups(run, requested, with_values=False) if requested.stats.by else Found([ALL], 1, True)
    _check_cells(len(found.groups), len(buckets), len(requested.stats.calls))
    names = [group.name for group in found.groups]
    points = await run.rows(series_of_groups(requested, interval_ns, names)) if names else []
    shown = len(found.groups) - sum(group.is_other for group in found.groups)
    are_late = OTHER not in names and any(point.name == OTHER for point in points)
    if are_late:
        found = Found([*found.groups, OTHERS], found.found + 1, False)
    # On a thread, because 100,000 values take 0.1 s.
    series = await writers.run(requested.scope.tenant_id, lambda: _series(requested, interval_ns, found, points))
    return StatsOverTime(
        interval_ns=json_integer(interval_ns),
        buckets=[format_time(bucket * interval_ns) for bucket in buckets],
        series=series,
        groups=groups_of(found.found, shown, is_complete=found.is_complete),
        left_out=LATE if are_late else left_out(found.found, shown, is_complete=found.is_complete),
    )


def _series(requested: ScopedStats, interval_ns: int, found: Found, points: Iterable[Point]) -> list[StatsSeries]:
    by_group: dict[str, dict[int, Point]] = defaultdict(dict)
    for point in points:
        by_group[point.name][point.bucket] = point
    return [
        StatsSeries(
            kind="other" if group.is_other else "group",
            group=[] if group.is_other else group_of(group.keys),
            values=_values(requested, interval_ns, by_group[group.name]),
        )
        for group in found.groups
    ]


def _values(requested: ScopedStats, interval_ns: int, points: Mapping[int, Point]) -> list[list[Cell]]:
    """Returns the values of a series: for each function, a list with one value for each bucket of the range."""
    stats, time_range = requested.stats, requested.scope.time_range
    none = empty_cells(stats)
    rows = [
        cells_of(stats, points[bucket].values, seconds_within(time_range, interval_ns, bucket))
        if bucket in points
        else none
        for bucket in bucket_numbers(time_range, interval_ns)
    ]
    return [list(values) for values in zip(*rows, strict=True)]


def _check_cells(series: int, buckets: int, functions: int) -> None:
    if series * buckets * functions > MAX_CELLS:
        raise InvalidRequest(
            f"{series:,} series with {buckets:,} buckets and {functions} functions have "
            f"{series * buckets * functions:,} values, but an answer has at most {MAX_CELLS:,}: write a larger width "
            "in time(…), or a smaller | limit"
        )
