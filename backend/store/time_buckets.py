"""Time buckets of equal width, which are numbered from the Unix epoch."""

from dataclasses import dataclass
from typing import Final

from backend.store.scope import TimeRange
from schema.clickhouse.minute_counts import MINUTE

BUCKET_SQL: Final = "intDiv(toUnixTimestamp64Nano(timestamp), {width_ns:Int64})"
"""SQL of the number of a record's bucket."""
MINUTE_BUCKET_SQL: Final = f"intDiv(toUnixTimestamp({MINUTE}) * 1000000000, {{width_ns:Int64}})"
"""SQL of the number of a record's bucket, made from the record's minute. For widths of whole minutes."""
MINUTE_NS: Final = 60 * 10**9


@dataclass(frozen=True, slots=True)
class Buckets:
    """The width of buckets in nanoseconds, and whether their statement may read minute counts."""

    width_ns: int
    by_minute: bool = False

    @property
    def sql(self) -> str:
        """SQL of the number of a record's bucket. Names the width as the parameter `width_ns`."""
        return MINUTE_BUCKET_SQL if self.by_minute else BUCKET_SQL


def bucket_numbers(time_range: TimeRange, width_ns: int) -> range:
    """Returns the numbers of all buckets of the range. The first bucket may begin before the range does."""
    return range(time_range.start_ns // width_ns, (time_range.end_ns - 1) // width_ns + 1)


def whole_minutes(time_range: TimeRange) -> tuple[int, int]:
    """Returns the start of the first and the end of the last whole minute of the range, in seconds since the Unix
    epoch. The second number is not larger than the first if the range has no whole minute."""
    return max(0, -(-time_range.start_ns // MINUTE_NS)) * 60, time_range.end_ns // MINUTE_NS * 60


def seconds_within(time_range: TimeRange, width_ns: int, bucket: int) -> float:
    """Returns the seconds of a bucket that lie within the range."""
    start_ns, end_ns = max(time_range.start_ns, bucket * width_ns), min(time_range.end_ns, (bucket + 1) * width_ns)
    return (end_ns - start_ns) / 1e9
