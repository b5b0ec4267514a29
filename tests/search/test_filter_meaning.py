"""Tests that the compiled SQL matches exactly the expected records on a real engine."""

import pytest

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from tests.search.engine import ClickHouse
from tests.search.meanings import MEANINGS
from tests.search.records import TABLE, TRICKY


def matched(clickhouse: ClickHouse, query: str) -> set[str]:
    found = compile_filter(parse(query))
    rows = clickhouse.query_rows(f"SELECT id FROM {TABLE} WHERE tenant_id = 1 AND {found.sql}", found.parameters)
    return {TRICKY[int(str(row[0]))].name for row in rows}


@pytest.mark.parametrize("query", MEANINGS)
def test_query_matches(tricky: ClickHouse, query: str) -> None:
    assert matched(tricky, query) == MEANINGS[query]


@pytest.mark.parametrize("query", MEANINGS)
def test_excluded_query_matches_all_others(tricky: ClickHouse, query: str) -> None:
    assert matched(tricky, f"NOT ({query})") == {record.name for record in TRICKY} - MEANINGS[query]


def test_the_empty_query_matches_everything(tricky: ClickHouse) -> None:
    assert matched(tricky, "") == matched(tricky, "*") == {record.name for record in TRICKY}
