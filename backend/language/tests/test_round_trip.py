from hypothesis import given
from hypothesis import strategies as st

from backend.language.nodes import Node
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.tests.queries import almost_queries, nodes
from kit.errors import InvalidQuery


def parsed_or_refused(text: str) -> Node | InvalidQuery:
    try:
        return parse(text)
    except InvalidQuery as error:
        return error


def assert_parses_or_is_refused_well(text: str) -> None:
    result = parsed_or_refused(text)
    if isinstance(result, InvalidQuery):
        assert 0 <= result.position <= len(text)
        assert result.expected
        assert result.detail
        assert not result.detail.endswith(".")
        return
    printed = print_query(result)
    assert parse(printed) == result
    assert print_query(parse(printed)) == printed


@given(nodes)
def test_what_is_printed_parses_to_the_same_tree(node: Node) -> None:
    assert parse(print_query(node)) == node


@given(st.one_of(almost_queries, st.text(max_size=40), st.text('ab "\\*():-/[]{}~<>=', max_size=30)))
def test_any_text_is_a_query_or_is_refused_where_it_is_wrong(text: str) -> None:
    assert_parses_or_is_refused_well(text)


@given(nodes, st.data())
def test_a_broken_query_is_a_query_or_is_refused_where_it_is_wrong(node: Node, data: st.DataObject) -> None:
    text = print_query(node)
    at = data.draw(st.integers(0, len(text)))
    replacement = data.draw(st.sampled_from(("", "(", ")", '"', "\\", " ", "*", "/", ":", "\0", "OR")))
    assert_parses_or_is_refused_well(text[:at] + replacement + text[at + 1 :])
