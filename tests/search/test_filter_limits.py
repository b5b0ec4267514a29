"""Tests that the engine runs the largest allowed queries, and random queries together with their opposites."""

import pytest
from hypothesis import HealthCheck, given, settings

from backend.language.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_EXPRESSION_STEPS, MAX_EXPRESSIONS, MAX_TERMS
from backend.language.nodes import Node
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.steps import STAR_STEPS
from backend.language.tests.queries import nodes
from backend.store.compile.filter import compile_filter
from tests.search.engine import ClickHouse
from tests.search.records import TABLE

ENGINE = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])

LARGEST = {
    "fields": " ".join(f"k{number}:>{number}.5" for number in range(MAX_TERMS)),
    "groups": "k:(" + " OR ".join(f"[{number} TO {number + 1}]" for number in range(MAX_TERMS // 2)) + ")",
    "phrases": " OR ".join('"' + f"a{number} b c d e f g" + '"' for number in range(MAX_TERMS)),
    "words in values": " ".join(f'k:~"a{number} b c d e f"' for number in range(MAX_TERMS)),
    "long phrase": '"' + "漢字 " * MAX_TERMS + '"',
    "short words": " ".join(["x:~" + "-".join("abcdefghijklmnopqrst" * 11) + f"-{number}*" for number in range(18)]),
    "stars": "a*" * (MAX_EXPRESSION_STEPS // STAR_STEPS) + "b",
    "characters": "漢" * MAX_CHARACTERS,
    "depth": "(a b OR -" * MAX_DEPTH + "x:y" + ")" * MAX_DEPTH,
    "exclusions": "-" * (MAX_CHARACTERS - 1) + "a",
    "expressions": " ".join(f"/(?:a{{1,2}}b?){{1,{number}}}/" for number in range(4, 4 + MAX_EXPRESSIONS)),
}


def count(clickhouse: ClickHouse, node: Node) -> int:
    found = compile_filter(node)
    rows = clickhouse.query_rows(f"SELECT count() FROM {TABLE} WHERE tenant_id = 1 AND {found.sql}", found.parameters)
    return int(str(rows[0][0]))


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_queries_run(tricky: ClickHouse, name: str) -> None:
    assert len(LARGEST[name]) <= MAX_CHARACTERS
    node = parse(LARGEST[name])
    assert parse(print_query(node)) == node
    count(tricky, node)


@ENGINE
@given(node=nodes)
def test_a_query_and_its_opposite_share_all_records(tricky: ClickHouse, node: Node) -> None:
    """Tests that each record matches either a query or its opposite, but not both."""
    records = tricky.query_rows(f"SELECT count() FROM {TABLE}")[0][0]
    opposite = parse(f"NOT ({print_query(node)})")
    assert count(tricky, node) + count(tricky, opposite) == records
