"""Reads from the REST API how it plans and runs a search."""

from dataclasses import asdict, dataclass
from typing import Final

import httpx2
from pydantic import BaseModel

from stack.client.query_api import parsed, requested

_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """The search to explain. `start` and `end` are in a form that the API accepts. With `analyze`, the API also reads
    the first page and measures it."""

    query: str
    start: str
    end: str
    order: str
    limit: int
    analyze: bool


class IndexUse(BaseModel):
    """Parts and granules before and after one index."""

    name: str
    type: str
    parts_total: int
    parts_read: int
    granules_total: int
    granules_read: int
    bytes: int | None


class StatementAnalysis(BaseModel):
    """Cost of one statement of the page. Numbers that ClickHouse did not report are None."""

    shard: int = 0
    reads: str
    start: str
    end: str
    rows: int
    elapsed_ms: float
    answered_ms: float
    rows_read: int
    bytes_read: int
    cpu_ms: float | None
    memory_bytes: int | None
    marks_total: int | None
    marks_read: int | None
    files_opened: int | None
    indexes: list[IndexUse]


class Analysis(BaseModel):
    """Cost of reading the page. `unknown` says why numbers of `statements` are None."""

    elapsed_ms: float
    logs: int
    statements: list[StatementAnalysis]
    unknown: str | None


class Explanation(BaseModel):
    """The plan of a search, its SQL and the indexes that it uses. If the page was measured, also its cost."""

    query: str
    plan: str
    why: str
    scan: str | None
    sql: str
    second_phase_sql: str | None
    shards: list[int] = []
    indexes: list[IndexUse]
    analysis: Analysis | None


def explain_search(client: httpx2.Client, given: ExplainRequest) -> tuple[Explanation, bytes]:
    """Returns the explanation, and its JSON as the API wrote it.

    Raises SearchRefused for a problem answer, Unavailable without an answer.
    """
    raw = requested(client, "POST", "logs/explain", _SECONDS, asdict(given)).content
    return parsed(Explanation, raw), raw
