"""Time buckets of equal width, which are numbered from the Unix epoch."""

from typing import Final

from backend.store.scope import TimeRange

BUCKET_SQL: Final = "intDiv(toUnixTimestamp64Nano(timestamp), {width_ns:Int64})"
"""SQL of the number of a record's bucket."""


def bucket_numbers(time_range: TimeRange, width_ns: int) -> range:
    """Returns the numbers of all buckets of the range. The first bucket may begin before the range does."""
    return range(time_range.start_ns // width_ns, (time_range.end_ns - 1) // width_ns + 1)


def seconds_within(time_range: TimeRange, width_ns: int, bucket: int) -> float:
    """Returns the seconds of a bucket that lie within the range."""
    start_ns, end_ns = max(time_range.start_ns, bucket * width_ns), min(time_range.end_ns, (bucket + 1) * width_ns)
    return (end_ns - start_ns) / 1e9
