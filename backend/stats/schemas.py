"""JSON models of `| stats`: requests, numbers and groups. Times are RFC 3339 with nine digits of fraction."""

from typing import Literal

from pydantic import BaseModel, Field

Cell = int | float | str | None


class StatsColumn(BaseModel):
    """A column of the answer: a field of the groups, or a function."""

    name: str = Field(description="Field or function, written as in a query.")
    kind: Literal["field", "function"]
    type: Literal["text", "integer", "number"]
    unit: str | None = Field(
        description="`records`, `records/s` or `values`. Null if the unit is the unit of the field's values."
    )
    error: float | None = Field(
        description="Relative error of an estimate: the largest error for quantiles, the standard error for `uniq` of "
        "many values. Null for exact functions."
    )


class StatsSeries(BaseModel):
    """The functions of one group in each time bucket."""

    kind: Literal["group", "other"] = Field(
        description="`other` stands for all groups that have no series of their own."
    )
    group: list[str | None] = Field(
        description="Value of each field; null for records without the field. Empty for `other`, and without fields."
    )
    values: list[list[Cell]] = Field(description="For each function, one value for each bucket.")


class StatsGroups(BaseModel):
    """The groups that were found, and those that are in the answer."""

    found: int = Field(description="Number of all groups. If `complete` is false, there may be more.")
    shown: int
    complete: bool = Field(
        description="False if there were too many groups to compare all of them, or if further groups arrived while an "
        "answer with `time(…)` was computed. The values are exact even so, but a group that is not in the answer may "
        "rank higher."
    )


class StatsCost(BaseModel):
    """The cost of an answer."""

    elapsed_ms: float
    rows_read: int
    bytes_read: int
    statements: int


class LogStats(BaseModel):
    """Numbers over the matching records: `rows`, or with `time(…)` `series`."""

    query: str = Field(description="The query in canonical form.")
    start: str = Field(description="Start of the range, inclusive.")
    end: str = Field(description="End of the range, exclusive.")
    columns: list[StatsColumn] = Field(description="The fields after `by`, then the functions.")
    rows: list[list[Cell]] = Field(
        description="One row for each group in order, with one cell for each column. A null in a field's column stands "
        "for records without the field, a null in a function's column for no number. Infinite numbers, and integers "
        "beyond 2^53 - 1, are text. Empty with `time(…)`."
    )
    other: list[Cell] | None = Field(
        description="Functions over the records of all groups that are not in `rows`, one cell for each function. Null "
        "if all groups are in `rows`, and with `time(…)`."
    )
    interval_ns: int | str | None = Field(description="Width of a bucket in nanoseconds; null without `time(…)`.")
    buckets: list[str] = Field(
        description="Start of each bucket in UTC. The first bucket may begin before the range. Empty without `time(…)`."
    )
    series: list[StatsSeries] = Field(
        description="With `time(…)`, the groups in order and then `other`, if some groups are not shown."
    )
    groups: StatsGroups
    left_out: str | None = Field(
        description="Sentence about the groups that the answer does not show; null if it shows all groups."
    )
    cost: StatsCost
