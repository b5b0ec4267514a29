"""JSON models of the search endpoints' answers. Times are RFC 3339 with nine digits of fraction."""

import json

from pydantic import BaseModel, Field, JsonValue, SkipValidation

from backend.logs.hint import Hint
from backend.logs.schemas import Log, Stats
from backend.problems import Problem
from backend.search.series import MAX_VALUES, SeriesKind
from backend.store.plans.plan import Plan
from backend.store.statement import Reads

Count = int | str
HINTS = "Likely reasons why the query found nothing. Empty if the page has records."


class SearchPage(BaseModel):
    """One page of records."""

    logs: list[Log]
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last page.")
    stats: Stats
    hints: list[Hint] = Field(description=HINTS)


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
    hints: list[Hint] = Field(description=HINTS)


class SearchLine(BaseModel):
    """A line of a streamed search: exactly one of these. `page` or `error` is the last line."""

    log: Log | None = None
    progress: Progress | None = Field(None, description="Cost so far. Comes after the records of each window.")
    page: PageEnd | None = None
    error: Problem | None = Field(None, description="The error that ended the search. The records before it are valid.")


class Bucket(BaseModel):
    """Counts of records from `start`, inclusive, to the next bucket's start, exclusive."""

    start: str
    total: int
    by_severity: dict[str, int] = Field(
        description="Counts by severity name. Names without records are left out. Empty if the histogram is by another "
        "field."
    )


class Series(BaseModel):
    """Counts of the records with one value of the field, with any other value, or without the field."""

    kind: SeriesKind = Field(
        description="`value`: records with `value`; `other`: with a value that has no series; `absent`: without the "
        "field."
    )
    value: str | None = Field(description="Value of the field as text; null if `kind` is not `value`.")
    total: int = Field(description="Number of the series' records in all buckets.")
    counts: list[int] = Field(description="Number of the series' records in each bucket.")


class Histogram(BaseModel):
    """Counts over time. The totals of all buckets add up to the exact number of matching records."""

    interval_ns: Count = Field(
        description="Width of a bucket in nanoseconds; text if JavaScript cannot hold the number."
    )
    buckets: list[Bucket]
    by: str | None = Field(description="Field whose values `series` counts; null for severities.")
    series: list[Series] = Field(
        description=f"The {MAX_VALUES} most frequent values, the most frequent first, then `other` and `absent`. A "
        "series without records is left out. The counts of all series add up to the totals of the buckets. Empty "
        "if `by` is null."
    )


class IndexUse(BaseModel):
    """Parts and granules before and after one index, added up over all shards that are read."""

    name: str
    type: str
    condition: str
    parts_total: int
    parts_read: int
    granules_total: int
    granules_read: int
    bytes: int | None = Field(
        description="Compressed bytes of the index in the whole table, in the same shards; null for keys of the table."
    )


class StatementAnalysis(BaseModel):
    """One statement that ran for an analysis, and its work. Every statement reads one shard."""

    shard: int = Field(description="Number of the shard that the statement reads.")
    reads: Reads = Field(
        description="`page`: the records of the page; `keys`: their keys alone; `rows`: the records with these keys."
    )
    start: str = Field(description="Start of the time window that the statement reads, inclusive.")
    end: str = Field(description="End of the time window, exclusive.")
    rows: int = Field(description="Number of rows in the answer. A page is read with one record more than it shows.")
    elapsed_ms: float = Field(description="Milliseconds in ClickHouse.")
    answered_ms: float = Field(
        description="Milliseconds until the rows had arrived: waiting in the queue, ClickHouse, network and reading."
    )
    rows_read: int
    bytes_read: int = Field(description="Uncompressed bytes that were read.")
    cpu_ms: float | None = Field(description="Milliseconds of processor time, user and system.")
    memory_bytes: int | None = Field(
        description="Largest amount of memory at one time. ClickHouse does not report less than 4 MiB."
    )
    marks_total: int | None = Field(
        description="Number of granules in the parts of the range, before primary key and indexes."
    )
    marks_read: int | None = Field(description="Number of granules that the indexes left.")
    files_opened: int | None
    indexes: list[IndexUse]


class Analysis(BaseModel):
    """The measurement of a page that was read for an explanation."""

    elapsed_ms: float = Field(description="Milliseconds to read the page.")
    logs: int = Field(description="Number of records on the page.")
    statements: list[StatementAnalysis] = Field(
        description="The statements in the order in which they ended. Statements over different shards run at the same "
        "time."
    )
    unknown: str | None = Field(
        description="The reason why members of statements are null, and what to do; null when all are known."
    )


class Explanation(BaseModel):
    """An explanation of how a search is understood and answered."""

    query: str = Field(description="The query in canonical form.")
    ast: SkipValidation[JsonValue] = Field(
        description="Syntax tree of the query. The member `node` of each object in it is the type of a node."
    )
    plan: Plan
    why: str
    scan: str | None = Field(
        description="The reason why every row in range is tested; null if an index finds the rows."
    )
    sql: str = Field(
        description="The statement that finds the page. Each shard runs it over its own tables, and `windowed` runs it "
        "for each window."
    )
    shards: list[int] = Field(
        description="Numbers of the shards that are read. The records of several shards are merged by timestamp and id."
    )
    second_phase_sql: str | None = Field(
        description="The statement that then reads the rows, shown for one made-up key; null if there is none."
    )
    parameters: dict[str, JsonValue]
    indexes: list[IndexUse]
    analysis: Analysis | None = Field(None, description="Measurement of the page; null unless `analyze` is true.")

    def json_text(self) -> bytes:
        """Returns the explanation as JSON.

        Pydantic neither checks nor writes values of more than about 250 levels. The tree of a query has up to five for
        each of its nested parentheses.
        """
        tree = json.dumps(self.ast, ensure_ascii=False, separators=(",", ":"))
        return f'{self.model_dump_json(exclude={"ast"})[:-1]},"ast":{tree}}}'.encode()
