"""Tests that attributes keep the type with which they were sent, as far as JSON and JavaScript can hold it."""

import pytest
from pydantic import JsonValue

from backend.logs.values import json_attributes


@pytest.mark.parametrize(
    ("letter", "text", "value"),
    [
        ("s", "7", "7"),
        ("i", "7", 7),
        ("i", "9007199254740991", 9007199254740991),
        ("i", "9007199254740993", "9007199254740993"),
        ("i", "-9223372036854775808", "-9223372036854775808"),
        ("d", "0.1", 0.1),
        ("d", "NaN", "NaN"),
        ("d", "-Infinity", "-Infinity"),
        ("b", "true", True),
        ("b", "false", False),
        ("x", "AAE=", "AAE="),
        ("j", '{"a":[1,9223372036854775807,true,null]}', {"a": [1, "9223372036854775807", True, None]}),
        ("n", "", None),
    ],
)
def test_value_by_letter(letter: str, text: str, value: JsonValue) -> None:
    assert json_attributes({"name": text}, letter) == {"name": value}


def test_each_entry_has_its_letter() -> None:
    assert json_attributes({"a": "1", "b": "1"}, "is") == {"a": 1, "b": "1"}


def test_entries_without_a_letter_are_text() -> None:
    assert json_attributes({"a": "1", "b": "1"}, "i") == {"a": 1, "b": "1"}
