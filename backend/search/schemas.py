"""What the search endpoints return. Times are RFC 3339 with nine digits; ids are opaque and sort as pages do."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from backend.problems import Problem

Count = int | str


class Plan(StrEnum):
    """How a page is read. `auto` lets the service choose."""

    auto = "auto"
    in_order = "in_order"
    two_phase = "two_phase"
    windowed = "windowed"


class ScopeSchema(BaseModel):
    """The instrumentation scope a record came from."""

    model_config = ConfigDict(title="InstrumentationScope")

    name: str
    version: str


class Log(BaseModel):
    """One log record."""

    id: str = Field(description="48 hex digits; sorts as text the way pages do.")
    timestamp: str
    observed_timestamp: str
    severity_number: int = Field(description="OpenTelemetry's 1 to 24; 0 where none was sent.")
    severity_text: str
    service: str
    body: str
    body_truncated_bytes: int = Field(description="Bytes cut from the end of the body; 0 when it is whole.")
    attributes: dict[str, JsonValue]
    resource: dict[str, JsonValue]
    scope: ScopeSchema
    trace_id: str = Field(description="32 hex digits, or empty.")
    span_id: str = Field(description="16 hex digits, or empty.")
    flags: int
    event_name: str


class Stats(BaseModel):
    """What the answer cost."""

    elapsed_ms: float
    rows_read: int
    bytes_read: int
    granules_total: int | None = Field(description="Granules in range; null where it was not asked.")
    granules_read: int | None = Field(
        description="Granules that indexes left of the windows looked into, those read again for wide columns counted "
        "again; null where it was not asked."
    )
    plan: Plan
    windows: int = Field(description="Time windows that were read to fill the page.")


class SearchPage(BaseModel):
    """One page of records."""

    logs: list[Log]
    next_cursor: str | None = Field(description="Where the next page begins; null on the last page.")
    stats: Stats


class Progress(BaseModel):
    """What a streamed search has cost so far."""

    windows: int
    rows_read: int
    bytes_read: int
    elapsed_ms: float


class PageEnd(BaseModel):
    """How a streamed page ends: what SearchPage has besides its records."""

    next_cursor: str | None
    stats: Stats


class SearchLine(BaseModel):
    """A line of a streamed search: exactly one of these. `page` or `error` is the last line."""

    log: Log | None = None
    progress: Progress | None = Field(None, description="After the records of each window.")
    page: PageEnd | None = None
    error: Problem | None = Field(None, description="The search broke off; the records before are right.")


class Bucket(BaseModel):
    """The records from `start` up to the next bucket's start."""

    start: str
    total: int
    by_severity: dict[str, int] = Field(description="Counts by severity name; names without records are left out.")


class Histogram(BaseModel):
    """Counts over time; the totals add up to the exact number of matching records."""

    interval_ns: Count = Field(description="Width of a bucket; text where JavaScript cannot hold the number.")
    buckets: list[Bucket]


class IndexUse(BaseModel):
    """What one index left of what it was given, in all shards together."""

    name: str
    type: str
    condition: str
    parts_total: int
    parts_read: int
    granules_total: int
    granules_read: int
    bytes: int | None = Field(description="What the index takes up in the whole table; null for keys of the table.")


class Explanation(BaseModel):
    """How a search is understood and answered."""

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
