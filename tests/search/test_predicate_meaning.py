"""Tests that the predicate matches exactly the records that the compiled SQL has to match."""

import pytest

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from tests.search.meanings import MEANINGS
from tests.search.records import TRICKY, log_columns

COLUMNS = log_columns(TRICKY)


def matched(query: str) -> set[str]:
    return {TRICKY[row].name for row in rows_matching(compile_predicate(parse(query)), COLUMNS)}


@pytest.mark.parametrize("query", MEANINGS)
def test_query_matches(query: str) -> None:
    assert matched(query) == MEANINGS[query]


@pytest.mark.parametrize("query", MEANINGS)
def test_excluded_query_matches_all_others(query: str) -> None:
    assert matched(f"NOT ({query})") == {record.name for record in TRICKY} - MEANINGS[query]
