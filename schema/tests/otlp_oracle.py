"""Reads the rows of a request with protobuf's own parser, a record at a time: slow, but easy to check.

Tests compare native/src with it.
"""

import math
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, TypeAlias

import orjson
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.log_columns import LogColumns
from schema.tests.utf8 import with_utf8

LAST_NS = 2**63 - 1
_LETTERS = {
    "string_value": "s",
    "int_value": "i",
    "bool_value": "b",
    "double_value": "d",
    "bytes_value": "x",
    "array_value": "j",
    "kvlist_value": "j",
}
Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


def expected_rows(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns:
    """Returns the rows of a request. Raises DecodeError of protobuf."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(raw)
    except DecodeError:
        request.ParseFromString(with_utf8(raw))
    columns = LogColumns()
    for resource_logs in request.resource_logs:
        resource, resource_types = attributes_as_text(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                columns.tenant_id.append(envelope.tenant_id)
                columns.cohort.append(envelope.cohort)
                columns.id.append(coordinates.first_record_id + len(columns.id))
                columns.service.append(resource.get("service.name", ""))
                columns.resource.append(resource)
                columns.resource_types.append(resource_types)
                columns.scope_name.append(scope_logs.scope.name)
                columns.scope_version.append(scope_logs.scope.version)
                _add_record(columns, record, envelope)
    return columns


def attributes_as_text(pairs: Iterable[KeyValue]) -> tuple[dict[str, str], str]:
    """Returns the values by key, and their letters in the same order. If a key occurs twice, its last value counts."""
    texts = {pair.key: as_text(pair.value) for pair in pairs}
    return {key: text for key, (text, _) in texts.items()}, "".join(letter for _, letter in texts.values())


def as_text(value: AnyValue) -> tuple[str, str]:
    """Returns one value as text, and its letter."""
    kind, plain = value.WhichOneof("value"), _as_json(value)
    letter = _LETTERS.get(kind or "", "n")
    if letter == "j":
        text = orjson.dumps(plain).decode()
    elif isinstance(plain, bool):
        text = str(plain).lower()
    else:
        text = "" if plain is None else str(plain)
    return text, letter


def _as_json(value: AnyValue) -> Json:
    kind = value.WhichOneof("value")
    found: Any = getattr(value, kind) if kind is not None and kind in _LETTERS else None
    plain: Json = found
    if kind == "array_value":
        plain = [_as_json(element) for element in found.values]
    elif kind == "kvlist_value":
        plain = {pair.key: _as_json(pair.value) for pair in found.values}
    elif kind == "bytes_value":
        plain = b64encode(found).decode()
    elif kind == "double_value" and not math.isfinite(found):
        plain = "NaN" if math.isnan(found) else "Infinity" if found > 0 else "-Infinity"
    return plain


def _add_record(columns: LogColumns, record: LogRecord, envelope: Envelope) -> None:
    time, observed = record.time_unix_nano, record.observed_time_unix_nano
    columns.timestamp.append(min(time or observed or envelope.received_at, LAST_NS))
    columns.observed_timestamp.append(min(observed or envelope.received_at, LAST_NS))
    columns.severity_number.append(record.severity_number if 0 <= record.severity_number <= 24 else 0)
    columns.severity_text.append(record.severity_text)
    body = as_text(record.body)[0].encode()
    kept = body[: envelope.body_max_bytes].decode(errors="ignore")
    columns.body.append(kept)
    columns.body_truncated_bytes.append(len(body) - len(kept.encode()))
    attributes, types = attributes_as_text(record.attributes)
    columns.attributes.append(attributes)
    columns.attribute_types.append(types)
    columns.trace_id.append(record.trace_id if len(record.trace_id) == 16 else bytes(16))
    columns.span_id.append(record.span_id if len(record.span_id) == 8 else bytes(8))
    columns.flags.append(record.flags)
    columns.event_name.append(record.event_name)
