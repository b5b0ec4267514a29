"""Bytes of a request as an export request."""

from enum import StrEnum

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.receiver.otlp_json import read_json
from kit.errors import InvalidRequest, TooLarge, UnsupportedMediaType
from schema.request_size import MAX_NESTED_VALUES, MAX_ROW_BYTES, has_too_many_values, row_bytes


class Encoding(StrEnum):
    """The two encodings of OTLP; the value is the content type."""

    protobuf = "application/x-protobuf"
    json = "application/json"

    @classmethod
    def of(cls, content_type: str) -> "Encoding":
        """Raises UnsupportedMediaType; parameters such as a charset are ignored."""
        try:
            return cls(content_type.partition(";")[0].strip().lower())
        except ValueError:
            raise UnsupportedMediaType(f"content type {content_type!r}, expected {' or '.join(cls)}") from None


MAX_ATTRIBUTES = 1_000_000
"""Attributes in one request: more than 16 MiB of real logs have, far fewer than of empty ones, which cost the loader
some 20 s a request."""


def decode(body: bytes, encoding: Encoding, max_records: int) -> ExportLogsServiceRequest:
    """Raises InvalidRequest when the body is not an export request, TooLarge when it has too many parts."""
    request = read_json(body) if encoding is Encoding.json else _read_protobuf(body)
    records = count_records(request)
    if records > max_records:
        raise TooLarge(f"a request may have {max_records} log records, this one has {records}")
    if count_attributes(request) > MAX_ATTRIBUTES:
        raise TooLarge(f"a request may have {MAX_ATTRIBUTES} attributes")
    size = request.ByteSize()
    if row_bytes(request, size) > MAX_ROW_BYTES:
        raise TooLarge("its resource and scope attributes, repeated for each record, are too large: send fewer at once")
    if has_too_many_values(request, size):
        raise TooLarge(f"a request may have {MAX_NESTED_VALUES} values inside arrays and maps")
    return request


def count_records(request: ExportLogsServiceRequest) -> int:
    return sum(len(scope.log_records) for resource in request.resource_logs for scope in resource.scope_logs)


def count_attributes(request: ExportLogsServiceRequest) -> int:
    """Attributes of resources and records; those of scopes are not kept."""
    count = 0
    for resource in request.resource_logs:
        count += len(resource.resource.attributes)
        for scope in resource.scope_logs:
            count += sum([len(record.attributes) for record in scope.log_records])
    return count


def _read_protobuf(body: bytes) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError as error:
        raise InvalidRequest(f"the body is not an OTLP export request: {error}") from None
    return request
