"""Records of the journal: measurements of one candidate in one round."""

from pydantic import BaseModel, ConfigDict


class CaseResult(BaseModel):
    """Cost of one search by ClickHouse's query log. `memory` is bytes, `found` is the number of returned rows."""

    model_config = ConfigDict(frozen=True)

    case: str
    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    found: int


class Step(BaseModel):
    """Measurements of a candidate in one round. If it could not be measured, only `error` is set.

    Sizes are bytes on disk, except `raw_bytes`, the raw bytes of the bodies. CPU times are seconds.
    """

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
