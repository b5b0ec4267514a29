"""Reads numbers over logs from the REST API."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final, Literal

import httpx2
from pydantic import BaseModel

from stack.client.query_api import parsed, requested

_SECONDS: Final = 120.0

Cell = int | float | str | None


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """A query with `| stats`; `start` and `end` as the API takes them."""

    query: str
    start: str
    end: str


class StatsColumn(BaseModel):
    """A field of the groups, or a function."""

    name: str
    kind: Literal["field", "function"]


class StatsSeries(BaseModel):
    """For each function, one value for each bucket."""

    kind: Literal["group", "other"]
    group: list[str | None]
    values: list[list[Cell]]


class LogStats(BaseModel):
    """The answer of the API. It has `rows` or, with time buckets, `series`. `left_out` says which groups are not
    shown."""

    columns: list[StatsColumn]
    rows: list[list[Cell]]
    other: list[Cell] | None
    buckets: list[str]
    series: list[StatsSeries]
    left_out: str | None

    @property
    def fields(self) -> list[str]:
        """Names of the fields whose values are the groups."""
        return [column.name for column in self.columns if column.kind == "field"]

    @property
    def functions(self) -> list[str]:
        """Names of the columns that have the values of functions, such as `count()`."""
        return [column.name for column in self.columns if column.kind == "function"]


@dataclass(frozen=True, slots=True)
class StatsLine:
    """Values of the functions for one group, or for all groups that are not shown, over the range or in one bucket.

    `bucket` is the bucket's start; None without buckets. `group` is empty where `is_other`.
    """

    bucket: str | None
    is_other: bool
    group: list[str | None]
    values: list[Cell]


def read_stats(client: httpx2.Client, given: StatsRequest) -> tuple[LogStats, bytes]:
    """Returns the numbers, and their JSON as the API wrote it.

    Raises SearchRefused for a problem answer, Unavailable without an answer.
    """
    raw = requested(client, "POST", "logs/stats", _SECONDS, asdict(given)).content
    return parsed(LogStats, raw), raw


def lines_of(found: LogStats) -> Iterator[StatsLine]:
    """Yields the numbers line by line: groups in order, each with its buckets, and all other groups last."""
    width = len(found.fields)
    for row in found.rows:
        group = [None if value is None else str(value) for value in row[:width]]
        yield StatsLine(None, False, group, row[width:])
    if found.other is not None:
        yield StatsLine(None, True, [], found.other)
    for series in found.series:
        for place, bucket in enumerate(found.buckets):
            values = [values[place] for values in series.values]
            yield StatsLine(bucket, series.kind == "other", series.group, values)
