"""Builds the buckets of a histogram: round widths, aligned to the Unix epoch, without gaps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from backend.store.compile.filter import Filter
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement
from backend.store.time_buckets import Buckets, bucket_numbers
from schema.severity import name_of

_S: Final = 10**9
_MINUTE: Final = 60 * _S
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR

WIDTHS: Final[tuple[int, ...]] = (
    *(factor * 10**power for power in range(9) for factor in (1, 2, 5)),
    *(factor * _S for factor in (1, 2, 5, 10, 15, 30)),
    *(factor * _MINUTE for factor in (1, 2, 5, 10, 15, 30)),
    *(factor * _HOUR for factor in (1, 2, 3, 6, 12)),
    *(factor * _DAY for factor in (1, 2, 7, 14, 30, 91, 365, 3_650, 36_500, 106_751)),
)
"""Widths in nanoseconds, rising. Each is common on time axes."""


class BucketCount(NamedTuple):
    """Number of records of one severity in one bucket. Buckets are numbered from the Unix epoch."""

    bucket: int
    severity_number: int
    records: int


def count_buckets(
    scope: Scope, matching: Filter, buckets: Buckets, settings: Mapping[str, int] = MappingProxyType({})
) -> Statement[BucketCount]:
    """Returns the statement that counts matching records by bucket and severity number. A bucket may have two rows of
    the same severity number, if the statement may read minute counts."""
    return Statement(
        scope,
        f"{buckets.sql} AS bucket, severity_number, count() AS records",
        BucketCount._make,
        matching=matching,
        rest="GROUP BY bucket, severity_number",
        values={"width_ns": buckets.width_ns},
        settings=settings,
        reads_all=True,
        by_minute=buckets.by_minute,
    )


def width_for(time_range: TimeRange, buckets: int) -> int:
    """Returns the smallest round width that is at least the length of the range divided by `buckets`.

    The range may overlap with one bucket more than `buckets`, because buckets are aligned to the Unix epoch.
    """
    length = time_range.end_ns - time_range.start_ns
    return next((width for width in WIDTHS if width * buckets >= length), WIDTHS[-1])


def fill(time_range: TimeRange, width_ns: int, counts: Iterable[BucketCount]) -> list[tuple[int, Mapping[str, int]]]:
    """Returns every bucket of the range with its counts by severity name.

    A bucket is given by its start in nanoseconds; the first may begin before the range does.
    """
    by_bucket: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for each in counts:
        by_bucket[each.bucket][name_of(each.severity_number)] += each.records
    return [(bucket * width_ns, dict(by_bucket.get(bucket, {}))) for bucket in bucket_numbers(time_range, width_ns)]
