"""How the fields of OTLP's messages are read from JSON values, made from the protocol's own descriptors."""

import binascii
import math
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

Scalar: TypeAlias = str | bytes | int | float | bool
Convert: TypeAlias = Callable[[object], Scalar]

_IDS = frozenset({"trace_id", "span_id"})
_LAST_INT32 = 2**31 - 1
_INTEGERS = frozenset(
    {
        FieldDescriptor.TYPE_INT32,
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_FIXED32,
        FieldDescriptor.TYPE_FIXED64,
    }
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `convert` raises ValueError or TypeError; `message` holds the fields of a field that is a message."""

    name: str
    is_repeated: bool
    is_choice: bool
    convert: Convert
    message: "Fields | None"


Fields: TypeAlias = dict[str, Field]
"""A message type's fields by both names they may have in JSON."""


@cache
def request_fields() -> Fields:
    """Those of an export request; all others hang below them."""
    return _fields(ExportLogsServiceRequest.DESCRIPTOR, {})


def _fields(descriptor: Descriptor, known: dict[str, Fields]) -> Fields:
    """`known` ends the recursion of values that hold values."""
    if descriptor.full_name in known:
        return known[descriptor.full_name]
    fields = known[descriptor.full_name] = {}
    for each in descriptor.fields:
        message = None if each.message_type is None else _fields(each.message_type, known)
        field = Field(each.name, each.is_repeated, each.containing_oneof is not None, _converter(each), message)
        fields[each.name] = fields[each.camelcase_name] = field
    return fields


def _converter(field: FieldDescriptor) -> Convert:
    if field.type == FieldDescriptor.TYPE_BYTES and field.name in _IDS:
        return _hex_id
    if field.enum_type is not None:
        return _enum(field.enum_type)
    return _converters()[field.type]


@cache
def _converters() -> dict[int, Convert]:
    """By the type of a field; a type that OTLP does not use is a KeyError, found by every test."""
    integers: dict[int, Convert] = dict.fromkeys(_INTEGERS, _integer)
    return integers | {
        FieldDescriptor.TYPE_STRING: _text,
        FieldDescriptor.TYPE_BYTES: _base64,
        FieldDescriptor.TYPE_BOOL: _boolean,
        FieldDescriptor.TYPE_DOUBLE: _double,
        FieldDescriptor.TYPE_MESSAGE: _never,
    }


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("is not a text")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("is neither true nor false")
    return value


def _integer(value: object) -> int:
    """A number or its decimal text; protobuf itself checks the range."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):
            raise ValueError(f"{value[:40]!r} is not a whole number")
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError("is not a whole number")
    return int(value)


def _double(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError("is not a number")
    if isinstance(value, str) and value not in ("NaN", "Infinity", "-Infinity"):
        number = float(value)
        if value.strip() != value or "_" in value or not math.isfinite(number):
            raise ValueError("is not a number")
        return number
    return float(value)


def _enum(enum: EnumDescriptor) -> Convert:
    """A number, as OTLP says, or a name, as protobuf's mapping says."""

    def convert(value: object) -> int:
        if isinstance(value, str) and (named := enum.values_by_name.get(value)) is not None:
            return named.number
        # JSON's reader makes doubles of what has more than 64 bits.
        if isinstance(value, float) and not abs(value) > _LAST_INT32:
            raise ValueError("is not a whole number")
        # What an enum cannot hold is out of range in any case: it costs its record, and not the request.
        return min(max(_integer(value), -_LAST_INT32), _LAST_INT32)

    return convert


def _hex_id(value: object) -> bytes:
    """An id of any length, as protobuf takes it. The loader keeps those of the right length only.

    An odd number of digits makes no bytes and is never the right length: it is read as no id.
    """
    if not isinstance(value, str):
        raise TypeError("is not a text of hex digits")
    is_odd = len(value) % 2 == 1
    try:
        found = binascii.unhexlify(value + "0" * is_odd)
    except ValueError:
        raise ValueError("is not hex") from None
    return b"" if is_odd else found


def _base64(value: object) -> bytes:
    """Standard base64; the URL-safe alphabet and missing padding are taken as well, as protobuf's mapping says."""
    standard = _text(value).translate({ord("-"): "+", ord("_"): "/"})
    standard += "=" * (-len(standard) % 4)
    try:
        return b64decode(standard, validate=True)
    except ValueError:
        raise ValueError("is not base64") from None


def _never(value: object) -> Scalar:
    raise TypeError(f"{type(value).__name__} is a message")
