"""Column `record_json`: the JSON members of a record's answer, except those for id, timestamp and body.

Native code writes it for records with large bodies (native/src/record_json.rs). `packed` writes the same text from the
other columns, for rows that do not come from OTLP, and for the tests that compare the two.
"""

from typing import Final

import orjson
from pydantic import JsonValue

from backend.logs.values import json_attributes
from backend.times import format_time
from schema.columns import PackedRecord, StoredRecord

MIN_BODY_BYTES: Final = 2**10
"""Smallest stored body, in bytes, whose row has a `record_json` (docs/decisions/0035)."""

MAX_BYTES: Final = 16 * 2**10
"""Largest `record_json`, in bytes. The column is empty for a record that would need more."""


def packed(record: StoredRecord) -> PackedRecord:
    """Returns the record as a packed read selects it. `record_json` is empty if the record has none."""
    has_text = len(record.body.encode()) >= MIN_BODY_BYTES
    text = json_text(record) if has_text else b""
    return PackedRecord(record.timestamp, record.id, record.body, text.decode() if len(text) <= MAX_BYTES else "")


def json_text(record: StoredRecord) -> bytes:
    """Returns the text that `record_json` has for the record, without the limits on size."""
    return orjson.dumps(before_body(record))[1:-1] + b"\n" + orjson.dumps(after_body(record))[1:-1]


def spliced(record: PackedRecord) -> bytes:
    """Returns the JSON of schemas.Log for a record whose `record_json` is not empty."""
    # JSON escapes line feeds, so the only line feed is between the members before the body and those after it.
    before, _, after = record.record_json.partition("\n")
    # The id is the text of `key_of(record)`. Making that object for each record of a page takes 40 % more time.
    head = f'{{"id":"{record.timestamp:016x}{record.id:032x}","timestamp":"{format_time(record.timestamp)}",{before}'
    return b'%b,"body":%b,%b}' % (head.encode(), orjson.dumps(record.body), after.encode())


def before_body(record: StoredRecord) -> dict[str, JsonValue]:
    """Returns the members between `timestamp` and `body`."""
    return {
        "observed_timestamp": format_time(record.observed_timestamp),
        "severity_number": record.severity_number,
        "severity_text": record.severity_text,
        "service": record.service,
    }


def after_body(record: StoredRecord) -> dict[str, JsonValue]:
    """Returns the members after `body`."""
    return {
        "body_truncated_bytes": record.body_truncated_bytes,
        "attributes": json_attributes(record.attributes, record.attribute_types),
        "resource": json_attributes(record.resource, record.resource_types),
        "scope": {"name": record.scope_name, "version": record.scope_version},
        "trace_id": _hex(record.trace_id),
        "span_id": _hex(record.span_id),
        "flags": record.flags,
        "event_name": record.event_name,
    }


def _hex(raw: bytes) -> str:
    return raw.hex() if any(raw) else ""
