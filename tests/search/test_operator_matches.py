"""Tests that both evaluators find the expected records by the example of each operator of the query language.

Queries that are refused are tested in backend/language/tests/test_operators.py.
"""

import pytest

from backend.language.operators import OPERATORS, Operator
from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.store.compile.filter import compile_filter
from tests.search.engine import ClickHouse
from tests.search.operator_matches import ALL, EXAMPLE_RECORDS, OPERATOR_MATCHES
from tests.search.records import TABLE, fill_table, log_columns


@pytest.fixture(scope="module")
def filled(clickhouse: ClickHouse) -> ClickHouse:
    fill_table(clickhouse, EXAMPLE_RECORDS)
    return clickhouse


def names(rows: list[int]) -> set[str]:
    return {EXAMPLE_RECORDS[row].name for row in rows}


def test_every_operator_is_here_and_distinguishes_records() -> None:
    assert list(OPERATOR_MATCHES) == [operator.name for operator in OPERATORS]
    assert [name for name, found in OPERATOR_MATCHES.items() if not found or found == ALL] == ["everything"]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_predicate_matches(operator: Operator) -> None:
    found = rows_matching(compile_predicate(parse(operator.example)), log_columns(EXAMPLE_RECORDS))
    assert names(found) == OPERATOR_MATCHES[operator.name]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_sql_matches(filled: ClickHouse, operator: Operator) -> None:
    found = compile_filter(parse(operator.example))
    rows = filled.query_rows(f"SELECT id FROM {TABLE} WHERE tenant_id = 1 AND {found.sql}", found.parameters)
    assert names([int(str(row)) for (row,) in rows]) == OPERATOR_MATCHES[operator.name]
