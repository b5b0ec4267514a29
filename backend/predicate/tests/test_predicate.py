import pytest
from hypothesis import given

from backend.language.limits import MAX_CHARACTERS
from backend.language.nodes import Node, Not
from backend.language.parse import parse
from backend.language.tests.queries import nodes
from backend.predicate.predicate import compile_predicate
from backend.predicate.rows import Rows
from backend.predicate.tests.matching import among, rows_matching
from schema.log_columns import LogColumns


def bodies(*texts: str) -> LogColumns:
    rows = len(texts)
    return LogColumns(
        id=list(range(rows)),
        body=list(texts),
        severity_number=[0] * rows,
        severity_text=[""] * rows,
        service=[""] * rows,
        body_truncated_bytes=[0] * rows,
        attributes=[{}] * rows,
        resource=[{}] * rows,
        scope_name=[""] * rows,
        scope_version=[""] * rows,
        trace_id=[bytes(16)] * rows,
        span_id=[bytes(8)] * rows,
        flags=[0] * rows,
        event_name=[""] * rows,
    )


SAMPLE = bodies("", "connection reset", "Reset: connection", "a b a", "漢字 é", "reset\0by")


@given(nodes)
def test_every_tree_compiles_and_its_opposite_matches_the_rest(node: Node) -> None:
    matching = rows_matching(compile_predicate(node), SAMPLE)
    opposite = rows_matching(compile_predicate(opposite_of(node)), SAMPLE)
    assert matching == sorted(set(range(len(SAMPLE))) - set(opposite))


def opposite_of(node: Node) -> Node:
    return node.operand if isinstance(node, Not) else Not(node)


@given(nodes)
def test_one_row_matches_as_among_all(node: Node) -> None:
    predicate = compile_predicate(node)
    alone = [row for row in range(len(SAMPLE)) if predicate.within(Rows(SAMPLE), range(row, row + 1))]
    assert alone == rows_matching(predicate, SAMPLE)


def test_predicates_share_rows() -> None:
    rows = Rows(SAMPLE)
    found = [among(compile_predicate(parse(query)), rows) for query in ("reset", "connection", "reset -connection")]
    assert found == [[1, 2, 5], [1, 2], [5]]


def test_no_rows() -> None:
    assert rows_matching(compile_predicate(parse("a OR -b")), LogColumns()) == []


@pytest.mark.parametrize("character", ["a", "é", "漢", "🚀"])
def test_the_longest_words_compile(character: str) -> None:
    longest = character * (MAX_CHARACTERS - 1)
    assert rows_matching(compile_predicate(parse(longest + "*")), bodies(longest, longest + "x", longest[1:])) == [0, 1]


@pytest.mark.parametrize(
    "query", ['"' + "a " * 100 + 'b"', "a*" * 180 + "c", "/(a|aa)+$/", "x:~" + "-".join(["a"] * 200) + "-*b"]
)
@pytest.mark.timeout(10)
def test_a_hostile_query_takes_time_that_grows_with_the_body_alone(query: str) -> None:
    long = bodies("a " * 32_768, "a" * 65_536, "aa " * 20_000 + "b")
    long.attributes = [{"x": body} for body in long.body]
    rows_matching(compile_predicate(parse(query)), long)
