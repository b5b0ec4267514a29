"""Tests of hints about operators of other query languages."""

import pytest

from backend.language.likely_operators import likely_operators, may_have_operators
from backend.language.nodes import Node
from backend.language.parse import parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("not error", ["-error"]),
        ("checkout not error", ["checkout -error"]),
        ("not -error", ["error"]),
        ("error or fatal", ["error OR fatal"]),
        ("a b or c", ["a b OR c"]),
        ("error and fatal", ["error fatal"]),
        ("not (a b)", ["-(a b)"]),
        ("not not a", ["a"]),
        ("a or b or c", ["a OR b OR c"]),
        ("(a or b) c", ["(a OR b) c"]),
        ("a b or c and not d", ["a b OR c -d"]),
        ("x:1 Or, (y or not z) or", ["x:1 OR (y OR -z) or"]),
        ("-(a b) or c", ["-(a b) OR c"]),
        ("(or a) or b", ["or a OR b"]),
        ("-not a", []),
        ('a "or" b', []),
        ("x:(a or b) c", []),
        ("body:or a", []),
        ("error|warn", ["(error OR warn)"]),
        ("a error||warn|fatal b", ["a (error OR warn OR fatal) b"]),
        ("error", []),
        ("or", []),
        ("error or", []),
        ("error not", []),
        ("or error", []),
        ("error OR fatal", []),
        ('"a|b"', []),
        ("a | b", []),
        ("x:a|b", []),
    ],
)
def test_words_that_are_operators_elsewhere(text: str, meant: list[str]) -> None:
    hints = list(likely_operators(text, _node(text)))
    assert [hint.query for hint in hints] == meant
    assert may_have_operators(text) or not meant
    for hint in hints:
        parse(hint.query)


def test_several_operators_get_one_hint() -> None:
    (hint,) = likely_operators("a or not b", _node("a or not b"))
    assert hint.detail == "not, or are searched as words; the operators are written NOT, OR"


def test_most_texts_are_not_examined() -> None:
    assert not may_have_operators('zabsent "connection reset" service:checkout')


def _node(text: str) -> Node:
    return parse(text.replace(" | ", " "))
