"""Converts stored attributes to the values that were sent, as far as JSON can hold them.

Integers that JavaScript cannot hold (beyond 2^53 - 1) and doubles that JSON cannot hold become strings. The type
letters are those of schema.columns.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

import orjson
from pydantic import JsonValue

MAX_SAFE_INTEGER: Final = 2**53 - 1

_LONG_NUMBER: Final = re.compile("[0-9]{16}")
"""Digits that every integer beyond MAX_SAFE_INTEGER has."""


def json_attributes(values: Mapping[str, str], types: str) -> dict[str, JsonValue]:
    """Returns attribute values by name. `types` has one letter for each entry, in the order of `values`."""
    if not types.strip("s"):
        return dict(values)
    return {
        name: text if letter == "s" else _READERS.get(letter, _text)(text)
        for (name, text), letter in zip(values.items(), types.ljust(len(values), "s"), strict=False)
    }


def json_integer(number: int) -> int | str:
    """Returns the number, or its text if JavaScript would round it."""
    return number if abs(number) <= MAX_SAFE_INTEGER else str(number)


def _text(text: str) -> JsonValue:
    return text


def _integer(text: str) -> JsonValue:
    return json_integer(int(text))


def _double(text: str) -> JsonValue:
    number = float(text)
    return number if number - number == 0 else text


def _document(text: str) -> JsonValue:
    # `json.loads` calls a Python function for each number, which takes half a second for the largest number of values
    # that a request may have. `orjson` calls none.
    if _LONG_NUMBER.search(text) is None:
        document: JsonValue = orjson.loads(text)
    else:
        document = json.loads(text, parse_int=_integer)
    return document


_READERS: Final[Mapping[str, Callable[[str], JsonValue]]] = {
    "x": _text,
    "i": _integer,
    "d": _double,
    "b": lambda text: text == "true",
    "j": _document,
    "n": lambda _: None,
}
