"""Measurements of one candidate in one round."""

from pydantic import BaseModel, ConfigDict


class CaseResult(BaseModel):
    """One search: seconds and bytes as ClickHouse's query_log has them."""

    model_config = ConfigDict(frozen=True)

    case: str
    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    found: int


class Step(BaseModel):
    """A candidate in one round; `error` where it could not be measured, and then nothing else is."""

    model_config = ConfigDict(frozen=True)

    round: int
    candidate: str
    error: str | None = None
    build_seconds: float = 0.0
    index_bytes: int = 0
    table_bytes: int = 0
    raw_bytes: int = 0
    insert_cpu: float = 0.0
    merge_cpu: float = 0.0
    write_rows: int = 0
    cases: tuple[CaseResult, ...] = ()
