"""Tests of `| stats`: its canonical text, and the position and text of each refusal."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.language.operators import STATS_FORMS, Operator, operators_table
from backend.language.parse import parse, parse_stats
from backend.language.print_stats import print_stats_query
from backend.language.stats_nodes import MAX_CALLS, MAX_FIELDS, Function, StatsQuery
from backend.language.tests.queries import almost_queries, stats_queries
from kit.errors import InvalidQuery

DOCS = Path(__file__).resolve().parents[3] / "docs" / "stats.md"

CANONICAL = [
    ("error | stats count() by service", "error | stats count() by service"),
    ("* |stats count( )", "| stats count()"),
    ('"a"|stats count()', "a | stats count()"),
    ("(a)| \n stats rate()", "a | stats rate()"),
    ("| stats count() by a|sort count", "| stats count() by a | sort count() desc"),
    ("| stats count() by count | sort count asc", "| stats count() by count | sort count asc"),
    ("| stats count() by count | sort count() asc", "| stats count() by count | sort count() asc"),
    ("| stats count() by time(60s), a", "| stats count() by a, time(1m)"),
    ("| stats count() by time, time(90s)", "| stats count() by time, time(90s)"),
    ("| stats count() by a | limit 100", "| stats count() by a"),
    ("| stats count() by a | limit 0020", "| stats count() by a | limit 20"),
    ('| stats p95("ms") by "odd name", "x.y"', '| stats p95(ms) by "odd name", x.y'),
    ("| stats count_if( a  AND (b OR c) )", "| stats count_if(a (b OR c))"),
    ("| stats uniq(trace_id), max(flags) by severity", "| stats uniq(trace_id), max(flags) by severity"),
]

REFUSED = [
    ("", 0, "has no | stats"),
    ("error", 5, "has no | stats"),
    ("error | stats", 13, "a function is missing"),
    ("| stats count", 8, "with its parentheses"),
    ("| stats count(),", 16, "a function is missing"),
    ("| stats cuont()", 8, "cuont is not a function"),
    ("| stats Count()", 8, "Count is not a function"),
    ("| stats count(x)", 14, "takes no field"),
    ("| stats sum()", 12, "needs a field"),
    ("| stats sum(service)", 12, "service is not a number"),
    ("| stats p95(severity)", 12, "severity is not a number"),
    ("| stats uniq(body)", 13, "bodies cannot be grouped"),
    ("| stats count() by body", 19, "bodies cannot be grouped"),
    ("| stats count() by", 18, "a field name is missing"),
    ("| stats count() by a, a", 22, "given twice"),
    ("| stats count() by a, a" + ", b" * MAX_FIELDS, 40, "by has 10 fields: write at most 8"),
    ("| stats count() by timestamp", 19, "attributes.timestamp"),
    ("| stats count(), count()", 17, "given twice"),
    ("| stats count() group by x", 16, "group cannot stand here"),
    ("| stats count() by x\xa0", 20, "U+00A0 cannot stand here"),
    ("| stats count() by time()", 24, "is missing"),
    ("| stats count() by time(0m)", 24, "not the width"),
    ("| stats count() by time(5x)", 24, "not the width"),
    ("| stats count() by time(36501d)", 24, "not the width"),
    ("| stats count() by time(5m), time(1m)", 29, "one time"),
    ("| stats count() | sort count", 23, "name a field after by"),
    ("| stats count() by time(5m) | limit 5", 36, "name a field after by"),
    ("| stats count() by a | sort b", 28, "one of the functions of stats"),
    ("| stats count() by a | sort p95(x)", 28, "one of the functions of stats"),
    ("| stats count() by a | sort a up", 30, "cannot stand here"),
    ("| stats count() by a | limit 0", 29, "not a number of groups"),
    ("| stats count() by a | limit 1001", 29, "not a number of groups"),
    ("| stats count() by a | limit \u0665", 29, "not a number of groups"),
    ("| stats count() by a | limit", 28, "the number of groups is missing"),
    ("| stats count() by a | limit 5 | sort a", 31, "in this order"),
    ("| stats count() | stats count()", 16, "in this order"),
    ("(a | stats count())", 3, "in this order"),
    ("| stats count_if()", 17, "a term is missing between"),
    ("| stats count_if(a", 18, "a parenthesis is not closed"),
    ("| stats count_if(/(/)", 17, "missing )"),
    ("| stats count_if(severity:loud)", 26, "'loud' is not a severity"),
    ("a b( | stats count()", 3, "a space is missing"),
    ("| stats " + ", ".join(f"p50(f{number})" for number in range(MAX_CALLS + 1)), 0, "17 functions: write at most 16"),
    (
        "| stats count() by " + ", ".join(f"f{number}" for number in range(MAX_FIELDS + 1)),
        0,
        "9 fields: write at most 8",
    ),
    ("| stats count_if(" + "(" * 64 + "a", 80, "at most 64 levels"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_form(text: str, canonical: str) -> None:
    assert print_stats_query(parse_stats(text)) == canonical
    assert parse_stats(canonical) == parse_stats(text)


@pytest.mark.parametrize(("text", "position", "detail"), REFUSED, ids=[repr(text[:40]) for text, _, _ in REFUSED])
def test_refused_where_it_is_wrong(text: str, position: int, detail: str) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse_stats(text)
    assert detail in refusal.value.detail
    assert refusal.value.position == position or "at most" in detail
    assert refusal.value.expected


@pytest.mark.parametrize(("text", "position"), [("error | stats count()", 6), ("|stats count() by a", 0)])
def test_a_search_refuses_stats_at_the_pipe(text: str, position: int) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(text)
    assert (refusal.value.position, refusal.value.expected) == (position, ("the end of the query",))
    assert "/api/v1/logs/stats" in refusal.value.detail


@pytest.mark.parametrize("text", ["error|stats", "x:|stats", '"| stats count"', "|stats-page", "|statistics"])
def test_a_bar_elsewhere_is_a_character(text: str) -> None:
    assert parse(text)


@given(stats_queries)
def test_what_is_printed_parses_to_the_same_tree(query: StatsQuery) -> None:
    assert parse_stats(print_stats_query(query)) == query


def read_or_refused(text: str) -> StatsQuery | InvalidQuery:
    try:
        return parse_stats(text)
    except InvalidQuery as refusal:
        return refusal


@given(st.one_of(stats_queries.map(print_stats_query), almost_queries.map("a | stats {}".format)), st.data())
def test_a_broken_text_is_refused_where_it_is_wrong(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.sampled_from(("", "(", ")", ",", '"', "|", " by ", "\0", "time(")))
    broken = text[:at] + piece + text[at + 1 :]
    result = read_or_refused(broken)
    if isinstance(result, InvalidQuery):
        assert 0 <= result.position <= len(broken)
        assert result.expected
        assert result.detail
        return
    assert parse_stats(print_stats_query(result)) == result


@pytest.mark.parametrize("form", STATS_FORMS, ids=lambda form: form.name)
def test_the_example_of_a_form_is_accepted_and_its_mistake_refused(form: Operator) -> None:
    query = parse_stats(form.example)
    assert parse_stats(print_stats_query(query)) == query
    with pytest.raises(InvalidQuery) as refusal:
        parse_stats(form.refused)
    assert refusal.value.position == form.refused_at


def test_every_function_has_a_form() -> None:
    written = " ".join(f"{form.syntax} {form.meaning} {form.example}" for form in STATS_FORMS)
    assert [function for function in Function if f"{function}(" not in written] == []


def test_docs_show_every_form() -> None:
    assert operators_table(STATS_FORMS) in DOCS.read_text(encoding="utf-8")
