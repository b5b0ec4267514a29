"""OTLP's JSON as the protobuf message it stands for.

Source: OTLP specification, "JSON Protobuf Encoding": protobuf's JSON mapping, but trace and span ids are hex, not
base64, enums are numbers, and unknown fields are ignored.

Written out because protobuf's own ParseDict (7.36) takes some 15 microseconds a message, which lets 16 MiB of JSON
keep a thread busy for 15 s, and because it silently loses what it should refuse: a text or a list where an object
belongs, characters that are not base64, the fraction of an enum.
"""

from collections.abc import ItemsView

import orjson
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.receiver.json_fields import Field, Fields, request_fields
from kit.errors import InvalidRequest, TooLarge
from logsieve_native import json_shape, mend_json

MAX_DEPTH = 90
"""Messages within each other. Protobuf's parsers, the loader's among them, stop at 100."""

MAX_MESSAGES = 1_000_000
"""Messages in all (records, attributes, values): more than 16 MiB of real logs have, far fewer than of `{},{},{}`."""

MAX_JSON_DEPTH = 1_000
"""Objects and arrays within each other, those of unknown fields among them. orjson stops soon after it."""

MAX_PARTS = 3_000_000
"""Objects, arrays and members of either in all: what JSON may be made Python's objects of, of 100 bytes each and more.
16 MiB of real logs have 1.5 million at most, 16 MiB of `[[],[],` have eleven."""

FEW_PARTS = 50_000
"""Bytes, and so parts, of JSON that is not looked at before it is read: reading it takes milliseconds."""


def read_json(body: bytes) -> tuple[ExportLogsServiceRequest, int]:
    """The request, and how many byte sequences that are not UTF-8 and halves of characters were replaced in it.

    Raises InvalidRequest when the text is not JSON, not an export request, or nested too deeply; TooLarge when it
    has too many parts.
    """
    check_shape(body)
    document, replaced = _loads(body)
    request = ExportLogsServiceRequest()
    _Walk().fill(request, document, request_fields(), "the body", MAX_DEPTH)
    return request, replaced


def check_shape(body: bytes) -> int:
    """How many objects, arrays and members of either a JSON text has at most; 0 for one too short to have many.

    Builds nothing. Raises TooLarge for more than MAX_PARTS, InvalidRequest for what is nested too deeply.
    """
    if len(body) <= FEW_PARTS:
        return 0
    parts, depth = json_shape(body)
    if depth > MAX_JSON_DEPTH:
        raise InvalidRequest(
            f"objects and arrays of the body are nested {depth} deep; they may be {MAX_JSON_DEPTH} deep; send values "
            "that are nested less"
        )
    if parts > MAX_PARTS:
        raise TooLarge(f"a JSON request may have {MAX_PARTS} objects, arrays and members, this one has {parts}")
    return parts


def _loads(body: bytes) -> tuple[object, int]:
    try:
        return orjson.loads(body), 0
    except orjson.JSONDecodeError as error:
        mended, replaced = mend_json(body)
        if not replaced:
            raise InvalidRequest(f"the body is not JSON: {error}") from None
    try:
        return orjson.loads(mended), replaced
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from None


class _Walk:
    """One document's way into messages."""

    def __init__(self) -> None:
        self._left = MAX_MESSAGES

    def fill(self, message: Message, document: object, fields: Fields, name: str, depth: int) -> None:
        """Sets the message's fields from an object and all within it; `depth` counts down."""
        chosen: str | None = None
        for key, value in self._members(document, name, depth):
            field = fields.get(key)
            if field is None or value is None:
                continue
            if field.is_choice:
                if chosen is not None:
                    raise InvalidRequest(f"{name} has both {chosen} and {key}")
                chosen = key
            if field.message is None:
                _set_scalar(message, field, key, value)
            elif field.is_repeated:
                parts = getattr(message, field.name)
                for each in _array(key, value):
                    self.fill(parts.add(), each, field.message, key, depth - 1)
            else:
                part = getattr(message, field.name)
                part.SetInParent()
                self.fill(part, value, field.message, key, depth - 1)

    def _members(self, document: object, name: str, depth: int) -> ItemsView[str, object]:
        if not isinstance(document, dict):
            raise InvalidRequest(f"{name} is not a JSON object")
        if depth == 0:
            raise InvalidRequest(f"the body is nested more than {MAX_DEPTH} messages deep")
        self._left -= 1
        if self._left < 0:
            raise TooLarge(f"a JSON request may have {MAX_MESSAGES} records, attributes and values in all")
        return document.items()


def _set_scalar(message: Message, field: Field, key: str, value: object) -> None:
    try:
        if field.is_repeated:
            getattr(message, field.name).extend([field.convert(each) for each in _array(key, value)])
        else:
            setattr(message, field.name, field.convert(value))
    except (ValueError, TypeError) as error:  # of the conversion, or of protobuf where a number is out of range
        raise InvalidRequest(f"{key}: {error}") from None


def _array(key: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise InvalidRequest(f"{key} is not a JSON array")
    return value
