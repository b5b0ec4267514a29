"""OTLP values as text, with a letter for what each was (see schema/columns.py).

Source: OpenTelemetry specification, "AnyValue representation for non-OTLP protocols": simple values as they are,
arrays and maps as JSON; in JSON, bytes are base64 strings, NaN and the infinities are strings, empty is null.
"""

import math
from base64 import b64encode
from collections.abc import Iterable
from typing import TypeAlias

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


def attributes_as_text(pairs: Iterable[KeyValue]) -> tuple[dict[str, str], str]:
    """The values by key, and their letters in the same order. Of a key that comes twice the last value counts."""
    values: dict[str, str] = {}
    letters: dict[str, str] = {}
    for pair in pairs:
        key = pair.key
        values[key], letters[key] = as_text(pair.value)
    return values, "".join(letters.values())


def as_text(value: AnyValue) -> tuple[str, str]:
    """One value as text, and its letter."""
    kind = value.WhichOneof("value")
    match kind:
        case "string_value":
            return value.string_value, "s"
        case "int_value":
            text, letter = str(value.int_value), "i"
        case "bool_value":
            text, letter = ("true" if value.bool_value else "false"), "b"
        case "double_value":
            text, letter = _double_text(value.double_value), "d"
        case "bytes_value":
            text, letter = b64encode(value.bytes_value).decode(), "x"
        case "array_value" | "kvlist_value":
            text, letter = orjson.dumps(_as_json(value)).decode(), "j"
        case _:
            text, letter = "", "n"
    return text, letter


def _double_text(number: float) -> str:
    """The shortest text that reads back as the same double."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)


def _as_json(value: AnyValue) -> Json:
    # As deep as the message, which protobuf's parser bounds at 100 messages within each other.
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_as_json(element) for element in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _as_json(pair.value) for pair in value.kvlist_value.values}
    if kind == "int_value":
        return value.int_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "double_value" and math.isfinite(value.double_value):
        return value.double_value
    return as_text(value)[0] if kind in ("string_value", "double_value", "bytes_value") else None
