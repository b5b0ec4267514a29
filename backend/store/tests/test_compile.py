import re

import pytest
from hypothesis import given

from backend.language.nodes import Node
from backend.language.parse import parse
from backend.language.tests.queries import nodes
from backend.language.words import words
from backend.store.compile.clause import Scan
from backend.store.compile.filter import Filter, compile_filter
from schema.attribute_pairs import MAX_PAIR_BYTES, PAIRS
from schema.columns import NAMES

PLACEHOLDER = re.compile(r"\{(p[0-9]+):(String|UInt32|Float64)\}")
LONG = "v" * MAX_PAIR_BYTES
TYPES = {"String": str, "UInt32": int, "Float64": float}


def compiled(query: str) -> Filter:
    return compile_filter(parse(query))


@given(nodes)
def test_every_tree_compiles_without_user_text_in_the_sql(node: Node) -> None:
    found = compile_filter(node)
    placeholders = PLACEHOLDER.findall(found.sql)
    assert {name for name, _ in placeholders} == set(found.parameters)
    assert all(type(found.parameters[name]) is TYPES[kind] for name, kind in placeholders)
    assert set(PLACEHOLDER.sub("", found.sql)) <= set(
        " ()!=<>',*+?|$^.[]-\\abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:"
    )
    assert found.clause.columns <= set(NAMES)


@given(nodes)
def test_has_token_is_used_for_single_words_only(node: Node) -> None:
    found = compile_filter(node)
    for name in re.findall(r"hasToken\([^,]*, \{(p[0-9]+):String\}\)", found.sql):
        needle = found.parameters[name]
        assert words(str(needle)) == (needle,)


@pytest.mark.parametrize(
    ("query", "sql", "parameters"),
    [
        ("*", "1", {}),
        ("Timeout", "(hasToken(lower(body), {p0:String}))", {"p0": "timeout"}),
        ("*A.b-c*", "(hasToken(lower(body), {p0:String}) AND position(lower(body), {p1:String}) > 0)", None),
        ("/a.b/", "(match(body, {p0:String}))", {"p0": "(?s-i)a.b"}),
        ("/ab+c/", "(match(body, {p0:String}))", {"p0": "(?s-i)ab+c"}),
        (
            "/Reset/",
            "(lower(body) LIKE {p0:String} AND match(body, {p1:String}))",
            {"p0": "%reset%", "p1": "(?s-i)Reset"},
        ),
        ("/ by \\w+/", "(hasToken(lower(body), {p0:String}) AND match(body, {p1:String}))", None),
        (
            "/ a b |Reset/",
            "((hasToken(lower(body), {p0:String}) AND hasToken(lower(body), {p1:String})"
            " OR lower(body) LIKE {p2:String}) AND match(body, {p3:String}))",
            {"p0": "a", "p1": "b", "p2": "%reset%", "p3": "(?s-i) a b |Reset"},
        ),
        (
            "a b",
            "(indexHint(hasAllTokens(lower(body), [{p0:String}, {p1:String}]))"
            " AND ((hasToken(lower(body), {p0:String})) AND (hasToken(lower(body), {p1:String}))))",
            {"p0": "a", "p1": "b"},
        ),
        (
            "a (b OR c)",
            "((hasToken(lower(body), {p0:String})) AND ((hasToken(lower(body), {p1:String}))"
            " OR (hasToken(lower(body), {p2:String}))))",
            None,
        ),
        ("*reset*", "(lower(body) LIKE {p0:String})", {"p0": "%reset%"}),
        ("*=reset*", "(lower(body) LIKE {p0:String} AND position(lower(body), {p1:String}) > 0)", None),
        ("*ab*", "(position(lower(body), {p0:String}) > 0)", {"p0": "ab"}),
        ("time*", "(lower(body) LIKE {p0:String} AND match(lower(body), {p1:String}))", None),
        ("-service:a", "NOT ((service = {p0:String}))", {"p0": "a"}),
        ("severity:>=warn", "(severity_number BETWEEN {p0:UInt32} AND {p1:UInt32})", {"p0": 13, "p1": 255}),
        ("a:b", f"has({PAIRS}, {{p0:String}})", {"p0": "a\0b"}),
        ("a:(b OR c)", f"(hasAny({PAIRS}, [{{p0:String}}, {{p1:String}}]))", {"p0": "a\0b", "p1": "a\0c"}),
        (
            "x OR a:b OR c:d",
            f"(hasAny({PAIRS}, [{{p0:String}}, {{p1:String}}]) OR (hasToken(lower(body), {{p2:String}})))",
            {"p0": "a\0b", "p1": "c\0d", "p2": "x"},
        ),
        (
            "attributes.a:b",
            f"(has({PAIRS}, {{p2:String}}) AND mapContains(attributes, {{p0:String}}) AND"
            " attributes[{p0:String}] = {p1:String})",
            {"p0": "a", "p1": "b", "p2": "a\0b"},
        ),
        (
            "resource.a:b",
            f"((has({PAIRS}, {{p2:String}}) OR mapContains(attributes, {{p0:String}}))"
            " AND mapContains(resource, {p0:String}) AND resource[{p0:String}] = {p1:String})",
            None,
        ),
        (
            f"attributes.a:{LONG}",
            "(mapContains(attributes, {p0:String}) AND attributes[{p0:String}] = {p1:String})",
            {"p0": "a", "p1": LONG},
        ),
    ],
)
def test_sql(query: str, sql: str, parameters: dict[str, object] | None) -> None:
    found = compiled(query)
    assert found.sql == sql
    if parameters is not None:
        assert dict(found.parameters) == parameters


@pytest.mark.parametrize(
    ("query", "looks_up"),
    [
        ("reset", True),
        ("*reset*", True),
        ("reset service:a", True),
        ("reset OR peer", True),
        ("reset OR service:a", False),
        ("-reset", False),
        ("user.id:5 -reset", False),
        ("*ab*", False),
        ("user.id:5", False),
    ],
)
def test_whether_an_index_on_words_helps(query: str, looks_up: bool) -> None:
    assert compiled(query).clause.looks_up_words == looks_up


@pytest.mark.parametrize(
    ("query", "reads_pairs"),
    [("a:b", True), ("-a:b", True), ("a:b OR service:c", True), ("a:b severity:error", True), ("service:c", False)],
)
def test_whether_the_index_on_attribute_values_is_read(query: str, reads_pairs: bool) -> None:
    assert compiled(query).clause.reads_pairs == reads_pairs


@pytest.mark.parametrize(
    ("query", "prunes"),
    [
        ("reset", True),
        ("reset severity:warn", True),
        ('"reset by peer" user-id=4*', True),
        ("*x reset y*", True),
        ("reset OR peer", True),
        ("reset peer OR peer", True),
        ("reset OR status:500", True),
        ("reset OR severity:warn", False),
        ("-reset", False),
        ("time*", False),
        ("*reset*", False),
        ("/reset/", False),
        ("/ reset | peer /", True),
        ("/( reset | peer )/", True),
        ("/ reset |peer/", False),
        (r"/^reset by \w+/", True),
        ("/(?i) reset /", False),
        ("status:500", True),
        ('status:""', True),
        (f"status:{LONG}", False),
        ("status:500 OR status:>=503", False),
        ("status:5*", False),
        ("msg:~reset", False),
        ("service:a", False),
        ("trace_id:4bf92f3577b34da6a3ce929d0e0e4736", True),
        ("trace_id:4b*", False),
        ("span_id:00f067aa0ba902b7", False),
        ("", False),
    ],
)
def test_whether_an_index_prunes(query: str, prunes: bool) -> None:
    assert compiled(query).clause.prunes is prunes


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("a", {"body"}),
        ("x:a", set()),
        ("x:a*", {"attributes", "resource"}),
        ("resource.x:a", {"attributes", "resource"}),
        ("attributes.x:a severity:warn", {"attributes", "severity_number"}),
        ("scope.name:a -trace_id:*", {"scope_name", "trace_id"}),
        ("*", set()),
    ],
)
def test_columns_that_are_read(query: str, columns: set[str]) -> None:
    assert compiled(query).clause.columns == columns


@pytest.mark.parametrize(
    ("query", "scan"),
    [
        ("reset", None),
        ("reset time*", None),
        ("*", Scan.everything),
        ("-reset", Scan.excluded),
        ("time*", Scan.part_of_word),
        ("severity:warn /reset/", Scan.part_of_word),
        ("/reset|peer/", Scan.part_of_word),
        ("/reset|no/", Scan.no_word),
        ("/[a-z]+=\\d/", Scan.no_word),
        ("x:>5", Scan.value),
        ("reset OR x:>5", Scan.alternative),
    ],
)
def test_why_everything_is_tested(query: str, scan: Scan | None) -> None:
    found = compiled(query)
    assert found.clause.scan is scan
    assert found.clause.prunes is (scan is None)
