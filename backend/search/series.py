"""Counts matching records over time by the values of one field: the most frequent values, and all other records."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from backend.language.fields import Field
from backend.store.compile.filter import Filter
from backend.store.counted_field import VALUES_BYTES, value_sql
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Parameter, Statement
from backend.store.time_buckets import Buckets, bucket_numbers

MAX_VALUES: Final = 5
"""Largest number of values that have a series of their own."""


class SeriesKind(StrEnum):
    """The records that one series counts."""

    value = "value"
    """Records with one of the most frequent values."""
    other = "other"
    """Records with any other value of the field."""
    absent = "absent"
    """Records without the field."""


class SeriesFound(NamedTuple):
    """Counts of one series. `place` is 1 for the most frequent value; places beyond MAX_VALUES are other values.

    `counted` has two lists: the numbers of the buckets with records, counted from the Unix epoch, and the number of
    records in each of these buckets.
    """

    is_present: bool
    place: int
    value: str
    counted: tuple[Sequence[int], Sequence[int]]

    @property
    def kind(self) -> SeriesKind:
        if not self.is_present:
            return SeriesKind.absent
        return SeriesKind.value if self.place <= MAX_VALUES else SeriesKind.other


def count_series(
    scope: Scope,
    matching: Filter,
    buckets: Buckets,
    field: Field,
    settings: Mapping[str, int] = MappingProxyType({}),
) -> Statement[SeriesFound]:
    """Returns the statement that counts matching records by bucket and value of a field, in one read of the range.

    Values that are equally frequent are ordered as text.
    """
    has, text = value_sql(field)
    values: dict[str, Parameter] = {"width_ns": buckets.width_ns, "field": field.name, "most": MAX_VALUES}
    counted = Statement(
        scope,
        f"{buckets.sql} AS bucket, {has} AS present, if(present, {text}, '') AS text, count() AS found",
        tuple,
        matching=matching,
        rest="GROUP BY bucket, present, text",
        values=values,
        settings=settings,
        result_bytes=VALUES_BYTES,
        reads_all=True,
        by_minute=buckets.by_minute,
    )
    by_value = counted.over(
        "present, text, sum(found) AS total, groupArray(bucket) AS buckets, groupArray(found) AS founds",
        "GROUP BY present, text",
        tuple,
        {},
    )
    placed = by_value.over(
        "present, text, buckets, founds,"
        " least(row_number() OVER (PARTITION BY present ORDER BY total DESC, text), {most:UInt8} + 1) AS place",
        "",
        tuple,
        {},
    )
    return placed.over(
        "present, place, any(text) AS first, sumMap(buckets, founds) AS counted",
        "GROUP BY present, place ORDER BY present DESC, place",
        SeriesFound._make,
        {},
    )


def counts_of(time_range: TimeRange, width_ns: int, found: SeriesFound) -> list[int]:
    """Returns the counts of a series in every bucket of the range."""
    by_bucket = dict(zip(*found.counted, strict=True))
    return [by_bucket.get(bucket, 0) for bucket in bucket_numbers(time_range, width_ns)]


def totals(series: Iterable[Sequence[int]], buckets: int) -> list[int]:
    """Returns the sum of all series in each bucket. `buckets` is the number of buckets."""
    sums = [0] * buckets
    for counts in series:
        sums = [each + count for each, count in zip(sums, counts, strict=True)]
    return sums
