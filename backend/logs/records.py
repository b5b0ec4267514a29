"""Converts stored records to the API's log records."""

from pydantic import JsonValue

from backend.logs.schemas import Log
from backend.logs.values import json_attributes
from backend.times import format_time
from schema.columns import StoredRecord


def document(record: StoredRecord) -> dict[str, JsonValue]:
    """Returns the record as the JSON object that schemas.Log describes."""
    return {
        "id": f"{record.timestamp:016x}{record.id:032x}",
        "timestamp": format_time(record.timestamp),
        "observed_timestamp": format_time(record.observed_timestamp),
        "severity_number": record.severity_number,
        "severity_text": record.severity_text,
        "service": record.service,
        "body": record.body,
        "body_truncated_bytes": record.body_truncated_bytes,
        "attributes": json_attributes(record.attributes, record.attribute_types),
        "resource": json_attributes(record.resource, record.resource_types),
        "scope": {"name": record.scope_name, "version": record.scope_version},
        "trace_id": _hex(record.trace_id),
        "span_id": _hex(record.span_id),
        "flags": record.flags,
        "event_name": record.event_name,
    }


def to_log(record: StoredRecord) -> Log:
    """Returns the record as the API's model."""
    return Log.model_validate(document(record))


def _hex(raw: bytes) -> str:
    return raw.hex() if any(raw) else ""
