"""Tests that a text in which an expression is found has everything that the expression requires."""

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.language.regex_literals import MAX_GROUPS, Required, required
from backend.language.regexes import pinned, search_in
from backend.language.words import words
from tests.chance import repetitions

FOUND = [
    (r"reset by \w+", ("by",), ("reset",)),
    (r"^reset by peer$", ("reset", "by", "peer"), ()),
    (r"\sReset\s+BY[ ]", ("reset",), ("by",)),
    (r" user=(\d+) ", ("user",), ()),
    (r" (?:error): (?P<why>timeout) ", ("error", "timeout"), ()),
    (r" \x45rror\t", ("error",), ()),
    (r" a\.b\-c_d ", ("a", "b", "c", "d"), ()),
    (r"\bfoo\b", (), ("foo",)),
    (r" foo\b bar ", ("foo", "bar"), ()),
    (r" été ", ("été",), ()),
    (r" abc{2} ", (), ("ab", "c")),
    (r" ab{0,3}c d", (), ("a", "c", "d")),
    (r" -+ab=* c ", ("c",), ("ab",)),
    (r" (ab )+c ", (), ("ab", "c")),
    (r" (ab )*c ", (), ("c",)),
    (r" ab()cd ", ("abcd",), ()),
    (r" a{ b", ("a",), ("b",)),
    (r" []ab]cd ", (), ("cd",)),
    (r" [[:alpha:]\]]ab ", (), ("ab",)),
    (r" \pLab \p{Greek}cd ", (), ("ab", "cd")),
    (r" ab(c|d) ef ", ("ef",), ("ab",)),
    (r" ab.cd ", (), ("ab", "cd")),
    (r" ab\Wcd ", (), ("ab", "cd")),
]


@pytest.mark.parametrize(("pattern", "tokens", "fragments"), FOUND)
def test_found(pattern: str, tokens: tuple[str, ...], fragments: tuple[str, ...]) -> None:
    assert required(pattern) == (Required(tokens, fragments),)


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        (" a | b c ", [(("a",), ()), (("b", "c"), ())]),
        ("(?:a |^b$|cd)", [((), ("a",)), (("b",), ()), ((), ("cd",))]),
        ("(a)|(b)", [((), ("a",)), ((), ("b",))]),
        ("(a|b) c ", [(("c",), ())]),
    ],
)
def test_each_alternative_requires_its_own(pattern: str, alternatives: list[tuple[tuple[str, ...], ...]]) -> None:
    assert required(pattern) == tuple(Required(tokens, fragments) for tokens, fragments in alternatives)


@pytest.mark.parametrize(
    "pattern",
    [
        " a |",
        r" a |\d",
        "(a|b)?",
        "(a|b)(c|d)",
        "( a | b",
        " a )| b",
        "(?i) k ",
        "( (?i:s) )",
        " a (?-s). b ",
        r" \Qa|b\E ",
        r" \101 ",
        r" \C ",
        " a{,3} b ",
        r" \x{110000} ",
        "(" * (MAX_GROUPS + 1) + " a " + ")" * (MAX_GROUPS + 1),
        "",
    ],
)
def test_nothing_is_required_where_it_is_not_sure(pattern: str) -> None:
    assert required(pattern) == ()


LITERALS = ("a", "B", "ab", "é", "7", "漢")
SEPARATORS = (" ", "-", "=", "_")
WITH_TEXT: st.SearchStrategy[tuple[str, str]] = st.one_of(
    st.sampled_from([(each, each) for each in (*LITERALS, *SEPARATORS)]),
    st.sampled_from(
        [
            *((r"\s", "\t"), (r"\w", "x"), (r"\W", "é"), (r"\W", "!"), (".", "\n"), (".", "z"), (r"\d", "5")),
            *(("[^a]", "b"), ("[]a]", "]"), (r"\pL", "é"), (r"\x41", "A"), (r"\x{e9}", "é"), (r"\.", "."), (r"\b", "")),
            *(
                ("^", ""),
                ("$", ""),
                (r"\A", ""),
                (r"\z", ""),
                (r"\B", ""),
                ("(?i)", ""),
                ("(?i:k)", "\u212a"),
                ("|", ""),
            ),
        ]
    ),
)
"""A strategy for an expression together with a text that it matches."""


def _repeat(inner: tuple[str, str], repetition: tuple[str, int]) -> tuple[str, str]:
    return f"(?:{inner[0]}){repetition[0]}", inner[1] * repetition[1]


def _several(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return "".join(pattern for pattern, _ in parts), "".join(text for _, text in parts)


REPETITIONS = st.sampled_from([("*", 0), ("*", 2), ("?", 0), ("+", 1), ("+", 3), ("{0,2}", 0), ("{2}", 2), ("+?", 2)])
EXPRESSIONS = st.recursive(
    WITH_TEXT,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=5).map(_several),
        st.builds(_repeat, inner, REPETITIONS),
        st.tuples(inner, inner).map(lambda two: (f"({two[0][0]}|{two[1][0]})", two[1][1])),
        st.tuples(WITH_TEXT, REPETITIONS).map(lambda two: (two[0][0] + two[1][0], two[0][1] * two[1][1])),
    ),
    max_leaves=12,
)
AROUND = st.text("aB é7漢-_\n", max_size=3)


@settings(max_examples=repetitions(1_500), deadline=None)
@given(EXPRESSIONS, AROUND, AROUND)
def test_every_text_that_is_found_has_what_is_required(expression: tuple[str, str], before: str, after: str) -> None:
    pattern, text = expression
    try:
        found = search_in(pinned(pattern))
    except re2.error:
        return
    requested = required(pattern)
    for each in (text, before + text + after):
        if requested and found(each.encode()):
            assert any(has_what_is_required(each, alternative) for alternative in requested)


def has_what_is_required(text: str, requested: Required) -> bool:
    there = words(text)
    return set(requested.tokens) <= set(there) and all(
        any(piece in word for word in there) for piece in requested.fragments
    )
