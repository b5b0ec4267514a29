"""Tests of query text and its canonical form, which also shows how the text was parsed."""

import pytest

from backend.language.parse import parse
from backend.language.print import print_query

CANONICAL = [
    ("", "*"),
    (" \t\n", "*"),
    ("**", "*"),
    ("Connection AND Error", "connection error"),
    ('"Connection: Error!"', '"connection error"'),
    ("10.0.0.1:8080", '"10 0 0 1 8080"'),
    ("http://x/y", '"http x y"'),
    ("a OR b c OR d", "a OR b c OR d"),
    ("(a OR b) c (d e)", "(a OR b) c d e"),
    ("NOT (a b)", "-(a b)"),
    ("NOT NOT a --b", "a b"),
    ("and or not TO", "and or not to"),
    ("user-id=4*", "user-id-4*"),
    ("*Out.Put*", "*out.put*"),
    ("*a\\ \\(b*", "*a\\ \\(b*"),
    ("*a*:", "*a*-"),
    ("/a\\/b/", "/a\\/b/"),
    ("/a\\\\/", "/a\\\\/"),
    ("service:checkout", "service:checkout"),
    ('service:"checkout"', "service:checkout"),
    ('"service":x', "service:x"),
    ('"odd name":x', '"odd name":x'),
    ("a:1 OR a:2 OR b:3", "a:(1 OR 2) OR b:3"),
    ("user.id:(7 OR 8)", "user.id:(7 OR 8)"),
    ("x:(1 (2 OR -3))", "x:(1 (2 OR -3))"),
    ("x:-5 -x:5", 'x:("-5" -5)'),
    ("x:-5", "x:-5"),
    ('x:(AND-ed "AND")', 'x:(AND-ed "AND")'),
    ("url.path:/api/v1/users", "url.path:/api/v1/users"),
    ("image:nginx:1.25", "image:nginx:1.25"),
    ('http:"//x"', 'http:"//x"'),
    ("x:\\-a*", "x:\\-a*"),
    ("path:/\\/api*", "path:\\//api*"),
    ("x:{* TO 5}", "x:[* TO 5}"),
    ("x:[* TO *]", "x:*"),
    ('x:>="a b"', 'x:>="a b"'),
    ('x:~Time* x:~"A b" x:~*A.b*', 'x:(~time* ~"a b" ~*a.b*)'),
    ('body:(a OR "b c" -/d/)', 'a OR "b c" -/d/'),
    ("body:a:b", '"a b"'),
    ("body:*", "body:*"),
    ("severity:WARNING", "severity:warn"),
    ("severity:>=Critical", "severity:>=fatal"),
    ("severity:09", "severity:9"),
    ("flags:007", "flags:7"),
    ("span_id:00F067AA0BA902B7", "span_id:00f067aa0ba902b7"),
    ("attributes.attributes.x:1", "attributes.attributes.x:1"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_form(text: str, canonical: str) -> None:
    assert print_query(parse(text)) == canonical


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_form_is_canonical(text: str, canonical: str) -> None:
    assert parse(canonical) == parse(text)
    assert print_query(parse(canonical)) == canonical
