"""Tests that attributes keep the type with which they were sent, as far as JSON and JavaScript can hold it."""

import pytest
from pydantic import JsonValue

from backend.logs import values
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


@pytest.mark.parametrize("number", [2**53 - 1, -(2**53) + 1, 2**53, -(2**53), 2**63 - 1, 10**15, 10**16])
def test_nested_integers_are_text_beyond_the_safe_ones(number: int) -> None:
    shown = number if abs(number) < 2**53 else str(number)
    assert json_attributes({"x": f'[{number},"{number}",{{"a":[{number}]}},0.{abs(number)}]'}, "j") == {
        "x": [shown, str(number), {"a": [shown]}, float(f"0.{abs(number)}")]
    }


def test_nested_values_are_not_changed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that 500,000 nested values, which a request may have, do not call 500,000 functions of Python."""

    def called(_number: int) -> int:
        raise AssertionError("called")

    monkeypatch.setattr(values, "json_integer", called)
    assert json_attributes({"x": "[1,[2,3],{}]"}, "j") == {"x": [1, [2, 3], {}]}


def test_each_entry_has_its_letter() -> None:
    assert json_attributes({"a": "1", "b": "1"}, "is") == {"a": 1, "b": "1"}


def test_entries_without_a_letter_are_text() -> None:
    assert json_attributes({"a": "1", "b": "1"}, "i") == {"a": 1, "b": "1"}
