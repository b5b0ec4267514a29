"""JSON models of the search endpoints' answers. Times are RFC 3339 with nine digits of fraction."""

from pydantic import BaseModel, Field, JsonValue

from backend.logs.schemas import Log, Stats
from backend.problems import Problem
from backend.store.plans.plan import Plan

Count = int | str


class SearchPage(BaseModel):
    """One page of records."""

    logs: list[Log]
    next_cursor: str | None = Field(description="Where the next page begins; null on the last page.")
    stats: Stats


class Progress(BaseModel):
    """The cost of a streamed search so far."""

    windows: int
    rows_read: int
    bytes_read: int
    elapsed_ms: float


class PageEnd(BaseModel):
    """The end of a streamed page: the members of SearchPage other than its records."""

    next_cursor: str | None
    stats: Stats


class SearchLine(BaseModel):
    """A line of a streamed search: exactly one of these. `page` or `error` is the last line."""

    log: Log | None = None
    progress: Progress | None = Field(None, description="After the records of each window.")
    page: PageEnd | None = None
    error: Problem | None = Field(None, description="The search broke off; the records before are right.")


class Bucket(BaseModel):
    """Number of records from `start`, inclusive, to the next bucket's start, exclusive."""

    start: str
    total: int
    by_severity: dict[str, int] = Field(description="Counts by severity name; names without records are left out.")


class Histogram(BaseModel):
    """Counts over time. The totals of all buckets add up to the exact number of matching records."""

    interval_ns: Count = Field(description="Width of a bucket; text where JavaScript cannot hold the number.")
    buckets: list[Bucket]


class IndexUse(BaseModel):
    """Parts and granules before and after one index, in all shards together."""

    name: str
    type: str
    condition: str
    parts_total: int
    parts_read: int
    granules_total: int
    granules_read: int
    bytes: int | None = Field(description="What the index takes up in the whole table; null for keys of the table.")


class Explanation(BaseModel):
    """An explanation of how a search is understood and answered."""

    query: str = Field(description="The query in canonical form.")
    ast: JsonValue
    plan: Plan
    why: str
    scan: str | None = Field(
        description="Why every row in range has to be tested; null where an index looks the query up."
    )
    sql: str = Field(description="What finds the page. `windowed` runs it with start and end of each window.")
    second_phase_sql: str | None = Field(description="What then reads the rows, here for one made-up key; or null.")
    parameters: dict[str, JsonValue]
    indexes: list[IndexUse]
