"""Hypothesis strategies: every tree that the parser can give, and text that is almost a query."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from backend.language.fields import BODY, BUILT_IN, HEX_DIGITS, NOT_SEARCHABLE, Field, Kind, Source
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
from backend.language.stats_nodes import LEVELS, MAX_LIMIT, Call, Function, Sort, Stats, StatsQuery
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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Strategies for the parts of a tree's terms. `words` are folded, `pieces` are not empty."""

    words: st.SearchStrategy[str]
    texts: st.SearchStrategy[str]
    pieces: st.SearchStrategy[str]
    names: st.SearchStrategy[str]
    operands: st.SearchStrategy[str]
    numbers: st.SearchStrategy[str]
    ids: Callable[[str], st.SearchStrategy[str]]
    """Returns a strategy for ids of `trace_id` or `span_id`."""
    regexes: st.SearchStrategy[str]


def hex_ids(name: str) -> st.SearchStrategy[str]:
    """Returns a strategy for ids other than zeros."""
    digits = HEX_DIGITS[name]
    return st.text("0123456789abcdef", min_size=digits, max_size=digits).filter(lambda digits: digits.strip("0") != "")


stuff = st.text(CHARACTERS, min_size=1, max_size=6)
texts = st.text(CHARACTERS, max_size=6)
ANY = Vocabulary(
    words=st.text("abz09é漢\u3000", min_size=1, max_size=3),
    texts=texts,
    pieces=st.one_of(stuff, stuff.map(lambda text: f"//{text}")),
    names=st.one_of(
        st.sampled_from(("x", "http.status_code", "k8s/a-b", "@t", "odd name", 'q"q', "back\\slash", "é", "9")), stuff
    ),
    operands=st.one_of(
        texts, st.sampled_from(("5", "-1.5", "1e3", "AND", "TO", "*", "//a", "-x", "")), st.integers().map(str)
    ),
    numbers=st.one_of(st.integers(0, 30), st.integers(0, 2**32 - 1)).map(str),
    ids=hex_ids,
    regexes=st.sampled_from(("a", "a/b", "\\w+ \\d", "[]/]", "(?i)x|y", "a\\\\/b", "\\Qa b", " ", "é.", "^$")),
)


def _is_free(name: str) -> bool:
    return name not in BUILT_IN and name not in NOT_SEARCHABLE and not name.startswith(("attributes.", "resource."))


_BUILT_IN_TEXTS = st.sampled_from([Field(Source.record, name) for name, kind in BUILT_IN.items() if kind is Kind.text])
_NUMBERS = st.sampled_from([Field(Source.record, name) for name, kind in BUILT_IN.items() if kind is Kind.number])
_SEVERITY = st.just(Field(Source.record, "severity"))
_IDS = st.sampled_from([Field(Source.record, name) for name in sorted(HEX_DIGITS)])
_SEVERITIES = st.one_of(st.sampled_from(NAMES), st.integers(0, 24).map(str))
_COMPARATORS = st.sampled_from(Comparator)


def _attributes(names: st.SearchStrategy[str]) -> st.SearchStrategy[Field]:
    return st.one_of(
        st.builds(Field, st.sampled_from((Source.attributes, Source.resource)), names),
        st.builds(Field, st.just(Source.either), names.filter(_is_free)),
    )


def _pieces(text: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Returns a strategy for two or more pieces. Only the first and last may be empty, and not all of them."""
    ends = st.one_of(st.just(""), text)
    return st.tuples(ends, st.lists(text, max_size=2), ends).map(lambda p: (p[0], *p[1], p[2])).filter(any)


def _phrases(word: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[WordPattern, ...]]:
    literal = word.map(lambda word: WordPattern((word,)))
    starred = _pieces(word).map(WordPattern)
    any_word = st.just(WordPattern(("", "")))
    return (
        st.lists(st.one_of(literal, literal, starred, any_word), min_size=1, max_size=3)
        .map(tuple)
        .filter(lambda words: any(any(word.pieces) for word in words))
    )


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
def _ids(draw: st.DrawFn, ids: Callable[[str], st.SearchStrategy[str]]) -> Leaf:
    field = draw(_IDS)
    known = draw(ids(field.name))
    return draw(
        st.one_of(
            st.just(Equals(field, known)),
            st.integers(1, len(known)).map(lambda digits: Glob(field, (known[:digits], ""))),
        )
    )


def leaves(vocabulary: Vocabulary) -> st.SearchStrategy[Leaf]:
    """Returns a strategy for every kind of term that the parser can give, made from the vocabulary."""
    texts = st.one_of(_attributes(vocabulary.names), _BUILT_IN_TEXTS)
    phrases, substrings = _phrases(vocabulary.words), vocabulary.pieces.map(fold_case)
    return st.one_of(
        st.just(MatchAll()),
        st.builds(Words, phrases),
        st.builds(Words, vocabulary.words.map(lambda word: (WordPattern((word,)),))),
        st.builds(Words, phrases, texts),
        st.builds(Substring, substrings),
        st.builds(Substring, substrings, texts),
        st.builds(Regex, vocabulary.regexes),
        st.builds(Exists, st.one_of(st.just(BODY), texts, _NUMBERS, _SEVERITY, _IDS)),
        st.builds(Equals, texts, vocabulary.texts),
        st.builds(Glob, texts, _pieces(vocabulary.pieces)),
        st.builds(Compare, texts, _COMPARATORS, vocabulary.operands),
        _ranges(texts, vocabulary.operands),
        st.builds(Equals, _SEVERITY, _SEVERITIES),
        st.builds(Compare, _SEVERITY, _COMPARATORS, _SEVERITIES),
        _ranges(_SEVERITY, _SEVERITIES),
        st.builds(Equals, _NUMBERS, vocabulary.numbers),
        st.builds(Compare, _NUMBERS, _COMPARATORS, vocabulary.numbers),
        _ranges(_NUMBERS, vocabulary.numbers),
        _ids(vocabulary.ids),
    )


def _every(operands: list[Node]) -> Node:
    return And(tuple(part for node in operands for part in (node.operands if isinstance(node, And) else (node,))))


def _either(operands: list[Node]) -> Node:
    return Or(tuple(part for node in operands for part in (node.operands if isinstance(node, Or) else (node,))))


def _without(node: Node) -> Node:
    return node.operand if isinstance(node, Not) else Not(node)


def trees(vocabulary: Vocabulary, max_leaves: int = 8) -> st.SearchStrategy[Node]:
    """Returns a strategy for terms and their combinations, in the form in which the parser builds them."""
    return st.recursive(
        leaves(vocabulary),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=4).map(_every),
            st.lists(inner, min_size=2, max_size=4).map(_either),
            inner.map(_without),
        ),
        max_leaves=max_leaves,
    )


nodes: st.SearchStrategy[Node] = trees(ANY)
almost_queries = st.lists(st.sampled_from(PIECES + KEYWORDS), max_size=14).map("".join)


_GROUPED = st.one_of(_attributes(ANY.names), _BUILT_IN_TEXTS, _NUMBERS, _SEVERITY, _IDS)
_NUMERIC = st.one_of(_attributes(ANY.names), _NUMBERS)
_WITHOUT_FIELD = st.sampled_from((Function.count, Function.rate)).map(Call)
_OF_NUMBERS = st.sampled_from([*LEVELS, Function.sum, Function.avg, Function.min, Function.max])
_CALLS = st.one_of(
    _WITHOUT_FIELD,
    st.builds(Call, st.just(Function.count_if), trees(ANY, max_leaves=3)),
    st.builds(Call, st.just(Function.uniq), _GROUPED),
    st.builds(Call, _OF_NUMBERS, _NUMERIC),
)
_INTERVALS = st.one_of(st.sampled_from((1, 999, 60_000, 90_000, 86_400_000)), st.integers(1, 10**8)).map(
    lambda milliseconds: milliseconds * 10**6
)


@st.composite
def _stats(draw: st.DrawFn) -> Stats:
    calls = tuple(draw(st.lists(_CALLS, min_size=1, max_size=4, unique=True)))
    by = tuple(draw(st.lists(_GROUPED, max_size=3, unique=True)))
    interval_ns = draw(st.one_of(st.none(), _INTERVALS))
    if not by:
        return Stats(calls, by, interval_ns)
    sort = draw(st.one_of(st.none(), st.builds(Sort, st.sampled_from([*calls, *by]), st.booleans())))
    return Stats(calls, by, interval_ns, sort, draw(st.integers(1, MAX_LIMIT)))


stats_queries: st.SearchStrategy[StatsQuery] = st.builds(StatsQuery, nodes, _stats())
