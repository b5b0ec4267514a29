"""Tests which attribute values the index can find. tests/search compares its SQL with the meaning of queries."""

import pytest

from schema.attribute_pairs import MAX_PAIR_BYTES, pair


def test_the_name_comes_before_the_value() -> None:
    assert pair("user.id", "42") == "user.id\x0042"


def test_a_value_may_be_empty() -> None:
    assert pair("user.id", "") == "user.id\0"


@pytest.mark.parametrize(("name", "value"), [("a\0b", "c"), ("a", "b\0c"), ("\0", "")])
def test_texts_with_nul_bytes_are_not_looked_up(name: str, value: str) -> None:
    assert pair(name, value) is None


@pytest.mark.parametrize("character", ["v", "é", "\U0001f600"])
def test_the_length_is_counted_in_bytes(character: str) -> None:
    longest = character * ((MAX_PAIR_BYTES - 2) // len(character.encode()))
    assert pair("n", longest) is not None
    assert pair("n", longest + character * 2) is None
