"""Hypothesis strategies: every AST the parser can give, and text that is almost a query."""

from hypothesis import strategies as st

from backend.language.fields import BODY, BUILT_IN, HEX_DIGITS, NOT_ASKED, Field, Kind, Source
from backend.language.nodes import (
    And,
    Bound,
    Comparator,
    Compare,
    Equals,
    Exists,
    Glob,
    Leaf,
    MatchAll,
    Node,
    Not,
    Or,
    Range,
    Regex,
    Substring,
    WordPattern,
    Words,
)
from backend.language.numbers import is_number
from backend.language.severities import NAMES
from backend.language.words import fold_case

CHARACTERS = "abzABZ09_.-/:@ \t\n\"\\*()[]{}<>=!~%'é漢\u3000😀"
PIECES = (
    "a",
    "B",
    "7",
    "-",
    "*",
    '"',
    "\\",
    "/",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "~",
    ">",
    "<=",
    " ",
    "é",
    "!",
    "\n",
)
KEYWORDS = (" AND ", " OR ", " NOT ", " TO ", "service:", "severity:", "trace_id:", "body:", "x.y:", '"o n":', "flags:")

texts = st.text(CHARACTERS, max_size=6)
stuff = st.text(CHARACTERS, min_size=1, max_size=6)
word_text = st.text("abz09é漢\u3000", min_size=1, max_size=3)
names = st.one_of(
    st.sampled_from(("x", "http.status_code", "k8s/a-b", "@t", "odd name", 'q"q', "back\\slash", "é", "9")), stuff
)


def _is_free(name: str) -> bool:
    return name not in BUILT_IN and name not in NOT_ASKED and not name.startswith(("attributes.", "resource."))


attribute_fields = st.one_of(
    st.builds(Field, st.sampled_from((Source.attributes, Source.resource)), names),
    st.builds(Field, st.just(Source.either), names.filter(_is_free)),
)
text_fields = st.one_of(
    attribute_fields,
    st.sampled_from([Field(Source.record, name) for name, kind in BUILT_IN.items() if kind is Kind.text]),
)
number_fields = st.sampled_from([Field(Source.record, name) for name, kind in BUILT_IN.items() if kind is Kind.number])
id_names = st.sampled_from(sorted(HEX_DIGITS))
severity = st.just(Field(Source.record, "severity"))
severity_values = st.one_of(st.sampled_from(NAMES), st.integers(0, 24).map(str))
number_values = st.one_of(st.integers(0, 30), st.integers(0, 2**32 - 1)).map(str)
operands = st.one_of(
    texts, st.sampled_from(("5", "-1.5", "1e3", "AND", "TO", "*", "//a", "-x", "")), st.integers().map(str)
)
comparators = st.sampled_from(Comparator)


def _pieces(text: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Two or more pieces; only the outer ones may be empty, and not all."""
    ends = st.one_of(st.just(""), text)
    return st.tuples(ends, st.lists(text, max_size=2), ends).map(lambda p: (p[0], *p[1], p[2])).filter(any)


literal_words = word_text.map(lambda word: WordPattern((word,)))
starred_words = _pieces(word_text).map(WordPattern)
any_word = st.just(WordPattern(("", "")))


word_patterns = (
    st.lists(st.one_of(literal_words, literal_words, starred_words, any_word), min_size=1, max_size=3)
    .map(tuple)
    .filter(lambda words: any(any(word.pieces) for word in words))
)
substrings = stuff.map(fold_case)
regexes = st.sampled_from(("a", "a/b", "\\w+ \\d", "[]/]", "(?i)x|y", "a\\\\/b", "\\Qa b", " ", "é.", "^$"))


@st.composite
def _ranges(draw: st.DrawFn, fields: st.SearchStrategy[Field], values: st.SearchStrategy[str]) -> Leaf:
    field = draw(fields)
    low = draw(st.one_of(st.none(), st.builds(Bound, values, st.booleans())))
    same_sort = (
        values
        if low is None or field.kind is not Kind.text
        else values.filter(lambda value: is_number(value) == is_number(low.operand))
    )
    high = draw(
        st.builds(Bound, same_sort, st.booleans())
        if low is None
        else st.one_of(st.none(), st.builds(Bound, same_sort, st.booleans()))
    )
    return Range(field, low, high)


@st.composite
def _ids(draw: st.DrawFn) -> Leaf:
    name = draw(id_names)
    digits = HEX_DIGITS[name]
    field = Field(Source.record, name)
    if draw(st.booleans()):
        return Equals(
            field, draw(st.text("0123456789abcdef", min_size=digits, max_size=digits).filter(lambda v: v.strip("0")))
        )
    return Glob(field, (draw(st.text("0123456789abcdef", min_size=1, max_size=digits)), ""))


leaves: st.SearchStrategy[Leaf] = st.one_of(
    st.just(MatchAll()),
    st.builds(Words, word_patterns, st.one_of(st.just(BODY), text_fields)),
    st.builds(Substring, substrings, st.one_of(st.just(BODY), text_fields)),
    st.builds(Regex, regexes),
    st.builds(Exists, st.one_of(st.just(BODY), text_fields, number_fields, severity)),
    st.builds(Equals, text_fields, texts),
    st.builds(Glob, text_fields, _pieces(stuff)),
    st.builds(Compare, text_fields, comparators, operands),
    _ranges(text_fields, operands),
    st.builds(Equals, severity, severity_values),
    st.builds(Compare, severity, comparators, severity_values),
    _ranges(severity, severity_values),
    st.builds(Equals, number_fields, number_values),
    st.builds(Compare, number_fields, comparators, number_values),
    _ranges(number_fields, number_values),
    _ids(),
)


def _every(operands: list[Node]) -> Node:
    return And(tuple(part for node in operands for part in (node.operands if isinstance(node, And) else (node,))))


def _either(operands: list[Node]) -> Node:
    return Or(tuple(part for node in operands for part in (node.operands if isinstance(node, Or) else (node,))))


def _without(node: Node) -> Node:
    return node.operand if isinstance(node, Not) else Not(node)


nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(_every),
        st.lists(inner, min_size=2, max_size=4).map(_either),
        inner.map(_without),
    ),
    max_leaves=8,
)
almost_queries = st.lists(st.sampled_from(PIECES + KEYWORDS), max_size=14).map("".join)
