"""Tests the hint about a field that was not counted in any record."""

import pytest

from backend.fields.hints import _about_fields, _required
from backend.fields.statements import FieldFound
from backend.language.parse import parse
from backend.logs.hint import Hint
from schema.clickhouse.fields_rollup import MAX_FIELDS, MAX_TEXT_BYTES


def hints(text: str, others: int = 0) -> list[Hint]:
    """Returns the hints where `region` and as many other fields as given were counted."""
    node = parse(text)
    counted = [FieldFound("attributes", "region", 1)]
    counted += [FieldFound("attributes", f"other{number}", 1) for number in range(others)]
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


@pytest.mark.parametrize(
    ("others", "detail"),
    [
        (MAX_FIELDS - 2, "no record in this range has the field colour"),
        (MAX_FIELDS - 1, "few or no records in this range have the field colour"),
    ],
)
def test_a_rare_field_may_exist_where_there_are_too_many_to_count(others: int, detail: str) -> None:
    assert [hint.detail for hint in hints("colour:red", others)] == [detail]


@pytest.mark.parametrize(("name", "found"), [("c" * MAX_TEXT_BYTES, 1), ("c" * (MAX_TEXT_BYTES + 1), 0)])
def test_a_field_whose_name_is_too_long_to_be_counted_may_exist(name: str, found: int) -> None:
    assert len(hints(f"{name}:red")) == found
