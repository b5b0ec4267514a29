"""Converts stored records to the API's log records."""

import orjson
from pydantic import JsonValue

from backend.logs.record_json import after_body, before_body, spliced
from backend.store.record_id import key_of
from backend.times import format_time
from schema.columns import PackedRecord, Record


def encode_log(record: Record) -> bytes:
    """Returns the record as the JSON of schemas.Log."""
    return spliced(record) if isinstance(record, PackedRecord) else orjson.dumps(document(record))


def document(record: Record) -> dict[str, JsonValue]:
    """Returns the record as the JSON object that schemas.Log describes."""
    if isinstance(record, PackedRecord):
        read: dict[str, JsonValue] = orjson.loads(spliced(record))
        return read
    return {
        "id": str(key_of(record)),
        "timestamp": format_time(record.timestamp),
        **before_body(record),
        "body": record.body,
        **after_body(record),
    }
