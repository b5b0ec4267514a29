"""The buckets of a histogram: round widths, aligned to the clock, none missing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from backend.store.scope import TimeRange
from schema.severity import name_of

_MS: Final = 10**6
_S: Final = 10**9
_MINUTE: Final = 60 * _S
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR

WIDTHS: Final[tuple[int, ...]] = (
    *(factor * 10**power for power in range(9) for factor in (1, 2, 5)),
    *(factor * _S for factor in (1, 2, 5, 10, 15, 30)),
    *(factor * _MINUTE for factor in (1, 2, 5, 10, 15, 30)),
    *(factor * _HOUR for factor in (1, 2, 3, 6, 12)),
    *(factor * _DAY for factor in (1, 2, 7, 14, 30, 91, 365, 3_650, 36_500, 106_752)),
)
"""Widths in nanoseconds, rising; each is one people read off a time axis."""


def width_for(time_range: TimeRange, buckets: int) -> int:
    """The smallest round width that covers the range with at most `buckets` whole buckets and a part of one."""
    length = time_range.end_ns - time_range.start_ns
    return next((width for width in WIDTHS if width * buckets >= length), WIDTHS[-1])


def fill(
    time_range: TimeRange, width_ns: int, counts: Iterable[tuple[int, int, int]]
) -> list[tuple[int, Mapping[str, int]]]:
    """Every bucket of the range with its counts by severity name, from (bucket number, severity number, count).

    A bucket is given by its start in nanoseconds; the first may begin before the range does.
    """
    by_bucket: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for bucket, severity_number, count in counts:
        by_bucket[bucket][name_of(severity_number)] += count
    first = time_range.start_ns // width_ns
    last = (time_range.end_ns - 1) // width_ns
    return [(bucket * width_ns, dict(by_bucket.get(bucket, {}))) for bucket in range(first, last + 1)]
