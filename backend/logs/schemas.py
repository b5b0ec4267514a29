"""JSON models of a record and of the cost of an answer, used by several endpoints.

Times are RFC 3339 with nine digits of fraction. Ids are opaque and sort like the records of a page.
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from backend.store.plans.plan import Plan


class ScopeSchema(BaseModel):
    """The instrumentation scope that emitted a record."""

    model_config = ConfigDict(title="InstrumentationScope")

    name: str
    version: str


class Log(BaseModel):
    """One log record."""

    id: str = Field(description="48 hexadecimal digits. Ids sort as text in the order of pages.")
    timestamp: str
    observed_timestamp: str
    severity_number: int = Field(description="OpenTelemetry's severity number, 1 to 24; 0 if none was sent.")
    severity_text: str
    service: str
    body: str
    body_truncated_bytes: int = Field(description="Number of bytes cut from the end of the body; 0 for a whole body.")
    attributes: dict[str, JsonValue]
    resource: dict[str, JsonValue]
    scope: ScopeSchema
    trace_id: str = Field(description="32 hexadecimal digits, or empty.")
    span_id: str = Field(description="16 hexadecimal digits, or empty.")
    flags: int
    event_name: str


class Stats(BaseModel):
    """The cost of an answer."""

    elapsed_ms: float
    rows_read: int
    bytes_read: int
    granules_total: int | None = Field(description="Number of granules in the time range; null if not measured.")
    granules_read: int | None = Field(
        description="Number of granules that the indexes left to be read. A granule that is read again for wide "
        "columns counts again. Null if not measured."
    )
    plan: Plan
    windows: int = Field(description="Number of time windows that were read for the answer.")
