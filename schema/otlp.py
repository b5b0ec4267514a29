"""An OTLP log export as rows: bytes of a Kafka message and its envelope in, columns out.

The rows are a pure function of bytes, envelope and coordinates; exactly-once delivery (design, section 5) rests on it.
Source: OpenTelemetry logs data model, and opentelemetry/proto/logs/v1/logs.proto.
"""

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from schema.any_value import as_text, attributes_as_text
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Fault, Undecodable
from schema.log_columns import LogColumns
from schema.request_size import MAX_NESTED_VALUES, MAX_ROW_BYTES, has_too_many_values, row_bytes

NO_TRACE = bytes(16)
NO_SPAN = bytes(8)
LAST_SEVERITY = 24
LAST_NS = 2**63 - 1
"""The end of DateTime64(9), in the year 2262."""


def decode_message(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns:
    """All records of the message in their order. Raises Undecodable as `read_request`."""
    return to_columns(read_request(raw), envelope, coordinates)


def read_request(raw: bytes) -> ExportLogsServiceRequest:
    """Raises Undecodable when the bytes are not an export request, or one that would become too large as rows."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(raw)
    except DecodeError as error:
        raise Undecodable(f"not an OTLP export request: {error}", Fault.not_otlp) from None
    if row_bytes(request, len(raw)) > MAX_ROW_BYTES:
        raise Undecodable(f"its rows would have more than {MAX_ROW_BYTES} bytes", Fault.too_large)
    if has_too_many_values(request, len(raw)):
        raise Undecodable(f"more than {MAX_NESTED_VALUES} values inside arrays and maps", Fault.too_large)
    return request


def to_columns(request: ExportLogsServiceRequest, envelope: Envelope, coordinates: Coordinates) -> LogColumns:
    """All records of the request in their order."""
    columns = LogColumns()
    for resource_logs in request.resource_logs:
        resource, resource_types = attributes_as_text(resource_logs.resource.attributes)
        service = resource.get("service.name", "")
        for scope_logs in resource_logs.scope_logs:
            before = len(columns.body)
            for record in scope_logs.log_records:
                _append_record(columns, record, envelope)
            added = len(columns.body) - before
            # One object for all rows of a resource or scope: the insert meets the same text again and again.
            columns.service += [service] * added
            columns.resource += [resource] * added
            columns.resource_types += [resource_types] * added
            columns.scope_name += [scope_logs.scope.name] * added
            columns.scope_version += [scope_logs.scope.version] * added
    rows = len(columns.body)
    columns.tenant_id = [envelope.tenant_id] * rows
    columns.cohort = [envelope.cohort] * rows
    first_id = coordinates.first_record_id
    columns.id = list(range(first_id, first_id + rows))
    return columns


def record_time(record: LogRecord, received_at: int) -> int:
    """When it happened: its time, else when it was observed, else when it arrived here."""
    return record.time_unix_nano or record.observed_time_unix_nano or received_at


def _append_record(columns: LogColumns, record: LogRecord, envelope: Envelope) -> None:
    """The columns that differ from record to record."""
    columns.timestamp.append(min(record_time(record, envelope.received_at), LAST_NS))
    columns.observed_timestamp.append(min(record.observed_time_unix_nano or envelope.received_at, LAST_NS))
    # Numbers outside the data model's range mean nothing, so they become "unspecified"; the text is kept.
    severity: int = record.severity_number
    columns.severity_number.append(severity if 0 <= severity <= LAST_SEVERITY else 0)
    columns.severity_text.append(record.severity_text)
    body, lost = cut_utf8(as_text(record.body)[0], envelope.body_max_bytes)
    columns.body.append(body)
    columns.body_truncated_bytes.append(lost)
    attributes, attribute_types = attributes_as_text(record.attributes)
    columns.attributes.append(attributes)
    columns.attribute_types.append(attribute_types)
    # logs.proto: an id of any other length is invalid, and the record then belongs to no trace.
    trace_id, span_id = record.trace_id, record.span_id
    columns.trace_id.append(trace_id if len(trace_id) == len(NO_TRACE) else NO_TRACE)
    columns.span_id.append(span_id if len(span_id) == len(NO_SPAN) else NO_SPAN)
    columns.flags.append(record.flags)
    columns.event_name.append(record.event_name)


def cut_utf8(text: str, limit: int) -> tuple[str, int]:
    """The text cut to at most `limit` bytes of UTF-8 at a character boundary, and how many bytes were lost."""
    if text.isascii():
        return (text, 0) if len(text) <= limit else (text[:limit], len(text) - limit)
    if len(text) * 4 <= limit:
        return text, 0
    encoded = text.encode()
    if len(encoded) <= limit:
        return text, 0
    kept = encoded[:limit].decode(errors="ignore")
    return kept, len(encoded) - len(kept.encode())
