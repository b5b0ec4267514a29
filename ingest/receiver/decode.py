"""Bytes of a request as an export request."""

from enum import StrEnum

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from kit.errors import InvalidRequest, TooLarge, UnsupportedMediaType
from logsieve_native import Message
from schema.envelope import Fault, Undecodable
from schema.otlp import read_message


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

MAX_SCOPE_ATTRIBUTES = 1_000_000
"""Attributes of all scopes in one request. They make no column, but a policy looks at each."""

MAX_GROUPS = 200_000
"""Resources, scopes and entities in one request, those without records among them: twice as many as it may have
records."""


def survey(value: bytes, max_records: int, received_at: int) -> Message:
    """What a request has, counted as the loader counts it. Looks at every byte, without Python's global lock.

    The message holds the request with U+FFFD in place of what is not UTF-8.

    Raises InvalidRequest when the bytes are not an export request, TooLarge when it has too many parts.
    """
    try:
        message = read_message(value, received_at)
    except Undecodable as error:
        if error.fault is Fault.too_large:
            raise TooLarge(error.detail) from None
        raise InvalidRequest(error.detail) from None
    if message.records > max_records:
        raise TooLarge(f"a request may have {max_records} log records, this one has {message.records}")
    if message.attributes > MAX_ATTRIBUTES:
        raise TooLarge(f"a request may have {MAX_ATTRIBUTES} attributes, this one has {message.attributes}")
    if message.scope_attributes > MAX_SCOPE_ATTRIBUTES:
        found = message.scope_attributes
        raise TooLarge(f"a request may have {MAX_SCOPE_ATTRIBUTES} attributes of scopes, this one has {found}")
    if message.groups > MAX_GROUPS:
        raise TooLarge(f"a request may have {MAX_GROUPS} resources and scopes in all, this one has {message.groups}")
    return message


def parse(value: bytes) -> ExportLogsServiceRequest:
    """A request as an object that can be changed. Raises InvalidRequest."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(value)
    except DecodeError as error:
        raise InvalidRequest(f"the body is not an OTLP export request: {error}") from None
    return request
