from pathlib import Path

import pytest

from backend.language.operators import OPERATORS, Operator, operators_table
from backend.language.parse import parse
from backend.language.print import print_query
from kit.errors import InvalidQuery

DOCS = Path(__file__).resolve().parents[3] / "docs" / "query-language.md"


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_example_is_accepted(operator: Operator) -> None:
    node = parse(operator.example)
    assert parse(print_query(node)) == node


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_wrong_example_is_refused_where_it_is_wrong(operator: Operator) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(operator.refused)
    assert refusal.value.position == operator.refused_at
    assert refusal.value.expected


def test_docs_show_every_operator() -> None:
    assert operators_table() in DOCS.read_text(encoding="utf-8")
