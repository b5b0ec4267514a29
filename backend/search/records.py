"""Rows of statement.RECORD_COLUMNS as the API's log records."""

from backend.search.execute import Row
from backend.search.record_id import RecordId
from backend.search.schemas import Log, ScopeSchema
from backend.search.times import format_time
from backend.search.values import json_attributes


def record_id(row: Row) -> RecordId:
    """Where the row stands in its tenant's order."""
    return RecordId(row[0], row[1])


def to_log(row: Row) -> Log:
    """One row, columns in the order of RECORD_COLUMNS."""
    (
        timestamp_ns,
        _,
        observed_ns,
        severity_number,
        severity_text,
        service,
        body,
        body_truncated_bytes,
        attributes,
        attribute_types,
        resource,
        resource_types,
        scope_name,
        scope_version,
        trace_id,
        span_id,
        flags,
        event_name,
    ) = row
    return Log(
        id=str(record_id(row)),
        timestamp=format_time(timestamp_ns),
        observed_timestamp=format_time(observed_ns),
        severity_number=severity_number,
        severity_text=severity_text,
        service=service,
        body=body,
        body_truncated_bytes=body_truncated_bytes,
        attributes=json_attributes(attributes, attribute_types),
        resource=json_attributes(resource, resource_types),
        scope=ScopeSchema(name=scope_name, version=scope_version),
        trace_id=_hex(trace_id),
        span_id=_hex(span_id),
        flags=flags,
        event_name=event_name,
    )


def _hex(raw: bytes) -> str:
    return raw.hex() if any(raw) else ""
