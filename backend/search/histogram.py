"""Makes the answer of a histogram from its counts."""

from collections.abc import Iterable, Sequence

from backend.logs.values import json_integer
from backend.search.buckets import BucketCount, fill
from backend.search.schemas import Bucket, Histogram, Series
from backend.search.series import SeriesFound, SeriesKind, counts_of, totals
from backend.store.scope import TimeRange
from backend.store.time_buckets import bucket_numbers
from backend.times import format_time


def histogram_by_severity(time_range: TimeRange, width_ns: int, counts: Iterable[BucketCount]) -> Histogram:
    """Returns the histogram of counts by severity."""
    buckets = [
        Bucket(start=format_time(start_ns), total=sum(by_severity.values()), by_severity=dict(by_severity))
        for start_ns, by_severity in fill(time_range, width_ns, counts)
    ]
    return Histogram(interval_ns=json_integer(width_ns), buckets=buckets, by=None, series=[])


def histogram_by_field(time_range: TimeRange, width_ns: int, by: str | None, found: Sequence[SeriesFound]) -> Histogram:
    """Returns the histogram of counts by the values of the field with the name `by`."""
    numbers = bucket_numbers(time_range, width_ns)
    counted = [(each, counts_of(time_range, width_ns, each)) for each in found]
    sums = totals((counts for _, counts in counted), len(numbers))
    return Histogram(
        interval_ns=json_integer(width_ns),
        buckets=[
            Bucket(start=format_time(number * width_ns), total=total, by_severity={})
            for number, total in zip(numbers, sums, strict=True)
        ],
        by=by,
        series=[
            Series(
                kind=each.kind,
                value=each.value if each.kind is SeriesKind.value else None,
                total=sum(counts),
                counts=counts,
            )
            for each, counts in counted
        ],
    )
