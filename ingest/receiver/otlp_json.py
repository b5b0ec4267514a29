"""OTLP's JSON as the protobuf message it stands for.

Source: OTLP specification, "JSON Protobuf Encoding": protobuf's JSON mapping, but trace and span ids are hex, not
base64, enums are numbers, and unknown fields are ignored.
"""

import binascii
from base64 import b64decode, b64encode
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from kit.errors import InvalidRequest, TooLarge

MAX_DEPTH = 90
"""Messages within each other. Protobuf's parsers, the loader's among them, stop at 100."""

MAX_MESSAGES = 1_000_000
"""Messages in all (records, attributes, values): more than 16 MiB of real logs have, far fewer than of `{},{},{}`."""

_ID_BYTES = {"trace_id": 16, "span_id": 8}


def read_json(body: bytes) -> ExportLogsServiceRequest:
    """Raises InvalidRequest when the text is not JSON, not an export request, or nested too deeply; TooLarge when it
    has too many parts.
    """
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from None
    _Preparation().prepare(document, ExportLogsServiceRequest.DESCRIPTOR, "the body", MAX_DEPTH)
    request = ExportLogsServiceRequest()
    try:
        ParseDict(document, request, ignore_unknown_fields=True)
    except ParseError as error:
        raise InvalidRequest(f"the body is not an OTLP export request: {error}") from None
    return request


class _Preparation:
    """Turns ids into what protobuf's mapping reads, in place, and refuses what ParseDict would silently lose.

    ParseDict (protobuf 7) takes a text or a list where an object belongs for an object without known fields, drops
    characters that are not base64, and rounds enums.
    """

    def __init__(self) -> None:
        self._left = MAX_MESSAGES

    def prepare(self, message: object, descriptor: Descriptor, name: str, depth: int) -> None:
        """One message and all within it; `depth` counts down."""
        if not isinstance(message, dict):
            raise InvalidRequest(f"{name} is not a JSON object")
        if depth == 0:
            raise InvalidRequest(f"the body is nested more than {MAX_DEPTH} messages deep")
        self._left -= 1
        if self._left < 0:
            raise TooLarge(f"a JSON request may have {MAX_MESSAGES} records, attributes and values in all")
        for key, value in message.items():
            # Both names of a field count, as for every reader of protobuf's JSON.
            field = descriptor.fields_by_camelcase_name.get(key) or descriptor.fields_by_name.get(key)
            if field is None or value is None:
                continue
            if field.message_type is not None:
                children = value if field.is_repeated else [value]
                if not isinstance(children, list):
                    raise InvalidRequest(f"{key} is not a JSON array")
                for child in children:
                    self.prepare(child, field.message_type, key, depth - 1)
            elif field.type == FieldDescriptor.TYPE_BYTES:
                message[key] = _bytes_field(key, value, _ID_BYTES.get(field.name))
            elif field.enum_type is not None and isinstance(value, float):
                raise InvalidRequest(f"{key} is not a whole number")


def _bytes_field(key: str, text: Any, id_bytes: int | None) -> str:
    """The base64 that ParseDict wants, from hex where the field is an id of `id_bytes` bytes."""
    if not isinstance(text, str):
        raise InvalidRequest(f"{key} is not a text")
    if id_bytes is None:
        return _checked_base64(key, text)
    if len(text) not in (0, 2 * id_bytes):
        raise InvalidRequest(f"{key} is not {2 * id_bytes} hex digits")
    try:
        return b64encode(binascii.unhexlify(text)).decode()
    except ValueError:
        raise InvalidRequest(f"{key} is not hex") from None


def _checked_base64(key: str, text: str) -> str:
    """Standard base64; the URL-safe alphabet and missing padding are taken as well, as protobuf's mapping says."""
    standard = text.translate({ord("-"): "+", ord("_"): "/"})
    standard += "=" * (-len(standard) % 4)
    try:
        b64decode(standard, validate=True)
    except ValueError:
        raise InvalidRequest(f"{key} is not base64") from None
    return standard
