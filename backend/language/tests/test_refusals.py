"""Tests of refused queries: the position of each error, and its text."""

import pytest

from backend.language.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_EXPRESSION_CHARACTERS, MAX_EXPRESSIONS, MAX_TERMS
from backend.language.nodes import WordPattern, Words
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.words import words
from kit.errors import InvalidQuery

REFUSED = [
    ("(", 1, "a term is missing"),
    ("(a", 2, "a parenthesis is not closed"),
    (")", 0, "missing before this parenthesis"),
    ("( )", 2, "a term is missing between the parentheses"),
    ("a)", 1, "this ) has no ( before it"),
    ("a OR)", 4, "missing before this parenthesis"),
    ("(a OR)", 5, "missing before this parenthesis"),
    ("AND", 0, "needs a term on both sides"),
    ("a OR OR b", 5, "needs a term on both sides"),
    ("a -", 3, "a term is missing"),
    ("a - b", 2, "must touch"),
    ("service:", 8, "a value is missing"),
    ("a:>", 3, "a value is missing at the end"),
    ("a:(1 >=", 7, "a value is missing at the end"),
    ("a:~", 3, "a value is missing at the end"),
    ('"odd name": x', 11, 'write "\\"odd name\\":"'),
    ("x:> 5", 3, "without a space"),
    ("x:>a*", 3, "takes no *"),
    ("x:[1 TO", 7, "a range is not finished"),
    ("x:[1 2]", 5, "a range is written"),
    ("x:[1,2]", 6, "a range is written"),
    ("x:[1 TO b]", 2, "one end of the range"),
    ("x:=5", 2, "write field:value for equal"),
    ("x:!=5", 2, "write field:value for equal"),
    ("x:()", 3, "a term is missing between"),
    ("x:(AND)", 3, "needs a term on both sides"),
    ("x:~/re/", 3, "search only the body"),
    ("x:~!!", 3, "no letters or digits"),
    ('"abc', 0, "this quote is not closed"),
    ('x:"abc', 2, "this quote is not closed"),
    ('a"b', 1, "a quote inside a term"),
    ('"a"b', 3, "a space is missing"),
    ("f(x)", 1, "a space is missing"),
    ("a|(b)", 2, "missing between two terms"),
    ("error| stats count()", 5, "a space is missing before |"),
    ("error|stats count() by a", 5, "a space is missing before |"),
    ("a error|\tstats p95(x)", 7, "a space is missing before |"),
    ("a| b stats count()", 16, "missing between two terms"),
    ("(a)b", 3, "a space is missing"),
    ("//", 0, "no letters or digits"),
    ('/a/"b"', 3, "after the regular expression"),
    ("/a/(b)", 3, "after the regular expression"),
    ("a /b(/", 2, "missing )"),
    ("/(?=a)/", 0, "not valid RE2"),
    ("!!!", 0, "*!!!*"),
    ('a "--"', 2, "no letters or digits"),
    ('""', 0, "a term is missing between the quotes"),
    ("a\\", 1, "nothing follows"),
    ("a\\nb", 1, "a backslash before n"),
    ('"a\\nb"', 2, "write \\\\ for a backslash"),
    ("body:>5", 5, "takes words and no comparison"),
    ("body:[a TO b]", 5, "takes words and no comparison"),
    ("body:-x", 5, "cannot stand here"),
    (
        "severity:loud",
        9,
        "'loud' is not a severity: write trace, debug, info, warn, error, fatal, unspecified, or a number from 0 to 24",
    ),
    ("severity:25", 9, "'25' is not a severity"),
    ("severity:[info TO loud]", 9, "'loud' is not a severity"),
    ("trace_id:4bf92f", 9, "has 32 hexadecimal digits; this one has 6"),
    ("trace_id:" + "g" * 32, 9, "32 hexadecimal digits"),
    ("trace_id:" + "0" * 32, 9, "the record has none"),
    ("span_id:*1", 8, "only after its first"),
    ("span_id:" + "1" * 17 + "*", 8, "only after its first"),
    ("trace_id:[1 TO 2]", 9, "has no order"),
    ("flags:-1", 6, "a whole number"),
    ("flags:4294967296", 6, "a whole number"),
    ("flags:\u0661", 6, "a whole number"),
    ("a timestamp:5", 2, "attributes.timestamp"),
    ("id:5", 0, "attributes.id"),
    ("attributes:x", 0, "name the attribute"),
    ("resource.:x", 0, "needs the name"),
    ('"":x', 0, "empty"),
    ("a\0", 1, r"write `/\x00/` to find NUL in the body"),
    ('x:"a\0b"', 4, "`field:a*b`"),
    ("ab\ud800", 2, "surrogate"),
    ("a" * MAX_CHARACTERS + "b", MAX_CHARACTERS, "longer than"),
    ("(" * (MAX_DEPTH + 1), MAX_DEPTH, "at most 64 levels"),
    ("a " * (MAX_TERMS + 1), 2 * MAX_TERMS, "at most 256 terms"),
    ("/a/ " * (MAX_EXPRESSIONS + 1), 4 * MAX_EXPRESSIONS, "at most 16 regular expressions"),
    ("a /" + "b" * (MAX_EXPRESSION_CHARACTERS + 1) + "/", 2, "at most 1,024"),
    ("/\\pL{200}/", 0, "pattern too large"),
    ("x /a[ab]{900}/ /b{900}c{900}/ /d[ab]{900}e[ab]{400}/", 30, "at most 3,000 are allowed"),
    ("/.{0,500}/", 0, "at most 3,000 are allowed"),
    ("x " + "-".join("a" * (MAX_TERMS + 1)), 2, "words and stars"),
    ("x a-" + "*-" * 200 + "b", 2, "at most 3,000 are allowed"),
    ("a*b " * 200, 4 * 187, "at most 3,000 are allowed"),
    ("x:~a*b " * 200, 7 * 187 + 3, "at most 3,000 are allowed"),
    ("x:" + "a*" * 300, 2, "words and stars"),
    ("x:" + "ab*" * 2_000 + "c", 2, "at most 3,000 are allowed"),
    ("x:(" + "a*a*a*b " * 200 + ")", 3 + 8 * 125, "at most 3,000 are allowed"),
]


@pytest.mark.parametrize(
    "text", ["/error.{0,150}timeout/", r"/\pL+/", "/a[ab]{300}c[ab]{300}d/", "/[0-9a-f]{8}(-[0-9a-f]{4}){3}/"]
)
def test_large_expressions_are_accepted(text: str) -> None:
    assert parse(text)


@pytest.mark.parametrize("text", ["time* " * MAX_TERMS, r"a\*b " * MAX_TERMS, "host:a*b " * MAX_TERMS, "a*b " * 187])
def test_only_stars_between_characters_that_are_searched_as_expressions_count(text: str) -> None:
    assert parse(text)


@pytest.mark.parametrize("minus", ["-", "NOT "])
def test_a_long_row_of_exclusions_is_no_deep_tree(minus: str) -> None:
    row = minus * 2_000
    assert parse(f"{row}x") == parse("x")
    assert parse(f"service:({row}x)") == parse("service:x")
    assert parse(f"service:({row}{minus}x)") == parse("-service:x")


@pytest.mark.parametrize(("text", "position", "detail"), REFUSED, ids=[repr(text[:20]) for text, _, _ in REFUSED])
def test_refused_where_it_is_wrong(text: str, position: int, detail: str) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(text)
    assert refusal.value.position == position
    assert detail in refusal.value.detail
    assert refusal.value.expected


PASTED = [
    '{"level": "info", "at": 5}',
    "GET /a(b) HTTP/1.1",
    "a - b",
    'C:\\temp\\"x"',
    "service:",
    "x = (y",
]


@pytest.mark.parametrize("text", PASTED)
def test_refused_text_can_be_searched_as_text(text: str) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(text)
    offered = refusal.value.search_as_text
    assert offered is not None
    assert parse(offered) == Words(tuple(WordPattern((word,)) for word in words(text)))


@pytest.mark.parametrize("text", ["- - -", "(", "f(x) " + "a " * MAX_TERMS, "a" * (MAX_CHARACTERS + 1)])
def test_text_without_a_valid_phrase_is_not_offered(text: str) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(text)
    assert refusal.value.search_as_text is None


WORDS_OF_LOGS = [
    ("GET /api/v1/cart 200", 'get "api v1 cart" 200'),
    ("GET /health?x=1 HTTP/1.1", 'get "health x 1" "http 1 1"'),
    ("java.lang.X: Failed", '"java lang x" failed'),
    ("Error: connect 127.0.0.1:5432", 'error connect "127 0 0 1 5432"'),
    ("body: x", "body x"),
    ("/usr/bin/", '"usr bin"'),
    ("/half", "half"),
]


@pytest.mark.parametrize(("text", "meaning"), WORDS_OF_LOGS)
def test_text_that_cannot_be_syntax_is_words(text: str, meaning: str) -> None:
    assert print_query(parse(text)) == meaning


@pytest.mark.parametrize("name", ['"odd name":', '"a \\\\ b":'])
def test_what_is_advised_finds_the_word_itself(name: str) -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse(f"{name} x")
    advised = refusal.value.detail.partition(" write ")[2]
    assert parse(advised) == Words(tuple(WordPattern((word,)) for word in words(name)))


def test_expected_lists_the_severities() -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse("severity:loud")
    assert refusal.value.expected == (
        *("trace", "debug", "info", "warn", "error", "fatal", "unspecified"),
        "a number from 0 to 24",
    )


def test_expected_is_in_words_not_terminal_names() -> None:
    with pytest.raises(InvalidQuery) as refusal:
        parse("service:checkout OR")
    assert "a word" in refusal.value.expected
    assert not any(name.isupper() and name not in {"AND", "OR", "NOT", "TO"} for name in refusal.value.expected)
