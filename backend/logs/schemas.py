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
    """The cost of an answer."""

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
