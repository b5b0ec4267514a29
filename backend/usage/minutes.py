"""The whole minutes over which usage is summed, and the intervals that divide them."""

from typing import Final, Literal, NamedTuple

from backend.store.scope import TimeRange
from backend.store.tables import LAST_SECOND, NS
from kit.errors import InvalidRequest

Interval = Literal["minute", "hour", "day"]
SECONDS: Final[dict[Interval, int]] = {"minute": 60, "hour": 3600, "day": 86_400}

DEFAULT_NS: Final = 86_400 * NS
MAX_INTERVALS: Final = 11_000
"""Largest number of intervals in one answer: a week of minutes, or a year of hours."""


class Minutes(NamedTuple):
    """Whole minutes from `start`, inclusive, to `end`, exclusive, in seconds since the Unix epoch."""

    start: int
    end: int


def minutes_of(start_ns: int | None, end_ns: int | None, interval: Interval, now_ns: int) -> Minutes | None:
    """Returns every minute that the requested range touches, or None if the range is after the last minute that the
    table can have. The range is the last 24 hours if no time is given.

    Raises InvalidRequest for a range that is empty or has too many intervals.
    """
    end_ns = now_ns if end_ns is None else end_ns
    requested = TimeRange(max(0, end_ns - DEFAULT_NS) if start_ns is None else start_ns, end_ns)
    start = requested.start_ns // (60 * NS) * 60
    # The table has no minutes after LAST_SECOND, and ClickHouse refuses later times.
    end = min(-(-requested.end_ns // (60 * NS)) * 60, LAST_SECOND)
    if (end - start) // SECONDS[interval] > MAX_INTERVALS:
        raise InvalidRequest(
            f"the range has more than {MAX_INTERVALS:,} intervals: choose a shorter range, or `interval=hour` or "
            "`interval=day`"
        )
    return Minutes(start, end) if start < end else None
