"""Tests the hint about a field that no record has, where several terms of a query name it."""

import pytest

from backend.fields.hints import _about_fields, _required
from backend.fields.statements import FieldFound
from backend.language.parse import parse
from backend.logs.hint import Hint


def hints(text: str) -> list[Hint]:
    node = parse(text)
    counted = [FieldFound("attributes", "region", 1)]
    found = _about_fields(text, node, [], list(_required(node)), counted)
    return [each for each in found if isinstance(each, Hint)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("regoin:(eu OR us)", "region:(eu OR us)"),
        ("regoin:eu regoin:>=a -regoin:us payment", "region:(eu >=a -us) payment"),
        ("colour:(red blue)", None),
    ],
)
def test_there_is_one_hint_that_corrects_all_its_terms(text: str, meant: str | None) -> None:
    (hint,) = hints(text)

    assert hint.query == meant


def test_two_fields_have_a_hint_each() -> None:
    assert [hint.detail for hint in hints("regoin:eu colour:red colour:blue")] == [
        "no record in this range has the field regoin; did you mean region?",
        "no record in this range has the field colour",
    ]
