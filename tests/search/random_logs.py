"""Draws random records and queries that share their values, so that a query matches some of the records."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from backend.language.fields import Kind
from backend.language.nodes import And, Compare, Leaf, MatchAll, Node, Not, Or, Range, Regex, comparisons
from backend.language.numbers import is_number
from backend.language.print import print_query
from backend.language.tests.queries import Vocabulary, leaves, nodes, trees
from backend.language.words import words
from tests.chance import SEED
from tests.search.aimed_queries import aimed_at
from tests.search.records import Record

RECORDS = (4, 12)
"""Smallest and largest number of records in a batch."""
QUERIES = (20, 28)
"""Smallest and largest number of queries in a batch."""

WORDS = ("a", "b", "ab", "Ba", "Error", "ERROR", "error7", "X", "7", "é", "É", "漢字", "🚀", "\u3000", "k", "\u212a")
"""Words of texts. The last one is the Kelvin sign, which becomes `k` only by Unicode's case folding."""
SEPARATORS = (" ", " ", "_", "-", ".", ":", "=", "\0", "\n", "\t", "\x7f", "  ", " -- ", "/", "\\", "%", "*", '"', "")
LENGTHS = (0, 0, 0, 1, 30, 1500)
"""Numbers of times that a body repeats its filler. 1,500 times are up to 9,000 bytes."""
NUMBERS = (
    *("7", "7.0", "07", "-7", "0", "-0", "0.0", "0e999", "1e999", "-1e999", "5e-324", "0.1", "1e-1", "100", "1E+2"),
    *("9007199254740993", "9007199254740992", "7.213132666943269e-273", "9581646674096915035822e46", "255", "256"),
    *("1e00000000000000000000005", "-96012175020926e54", "0e99", "63527229978273875689680551225e15", "1e400", "3e-324"),
)
NOT_NUMBERS = (
    "",
    " 7",
    "7\n",
    "+7",
    ".5",
    "7.",
    "nan",
    "inf",
    "0x7",
    "1,5",
    "\u0667",
    "7 7",
    "a*b",
    "50%_",
    "\\",
    "[7]",
)
NAMES = ("x", "status", "odd name", "service", 'q"')
IDS = {
    "trace_id": ("4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f3577b34da6a3ce929d0e0e4737", "0" * 31 + "1", "f" * 32),
    "span_id": ("00f067aa0ba902b7", "10f067aa0ba902b7", "0" * 15 + "1", "f" * 16),
}
ATOMS = ("a", "b", "7", " ", ".", "\\w", "\\W", "\\s", "[^a]", "[]a]", "é", "\\pL", "(?i:k)", "(a|b)", "\\x00")
BORDERS = ("\\b", "^", "$")
"""Parts of regular expressions that are not repeated: RE2 refuses that."""
MAX_DIGITS = 15
REPEATED = ("", "", "", "+", "*", "?", "{2}", "*?")
FLAGS = ("", "", "(?i)", "(?-s)", "(?m)", "(?U)")
WHOLE_NUMBERS = (0, 1, 2, 7, 255, 256, 2**32 - 1)


def _spread(first: str, rest: list[tuple[str, str]], filler: str, times: int) -> str:
    return first + "".join(separator + word for separator, word in rest) + filler * times


_words = st.sampled_from(WORDS)
_separators = st.sampled_from(SEPARATORS)
_short_texts = st.builds(
    _spread,
    st.one_of(st.just(""), _words),
    st.lists(st.tuples(_separators, _words), max_size=4),
    _separators,
    st.just(1),
)
_bodies = st.one_of(
    st.just(""),
    _short_texts,
    st.builds(
        _spread,
        _words,
        st.lists(st.tuples(_separators, _words), max_size=6),
        st.sampled_from((" ab é", "-7_x a", "Error")),
        st.sampled_from(LENGTHS),
    ),
)
_values = st.one_of(st.sampled_from(NUMBERS), st.sampled_from(NOT_NUMBERS), _short_texts)
_maps = st.dictionaries(st.sampled_from(NAMES), _values, max_size=4)
_whole = st.sampled_from(WHOLE_NUMBERS)

records: st.SearchStrategy[Record] = st.builds(
    Record,
    name=st.just(""),
    body=_bodies,
    service=st.one_of(st.just(""), _words),
    severity_number=st.integers(0, 24),
    severity_text=st.one_of(st.just(""), _short_texts),
    attributes=_maps,
    resource=_maps,
    scope_name=st.one_of(st.just(""), _values),
    scope_version=st.one_of(st.just(""), _values),
    trace_id=st.sampled_from(("", *IDS["trace_id"])),
    span_id=st.sampled_from(("", *IDS["span_id"])),
    flags=_whole,
    event_name=st.one_of(st.just(""), _values),
    body_truncated_bytes=_whole,
)

_expressions = st.builds(
    lambda flags, atoms: flags + "".join(atoms),
    st.sampled_from(FLAGS),
    st.lists(
        st.one_of(st.builds(str.__add__, st.sampled_from(ATOMS), st.sampled_from(REPEATED)), st.sampled_from(BORDERS)),
        min_size=1,
        max_size=4,
    ),
)

ALIKE = Vocabulary(
    words=st.sampled_from(sorted({found for word in WORDS for found in words(word)})),
    texts=_values.filter(lambda text: "\0" not in text),
    pieces=_short_texts.filter(lambda text: text != "" and "\0" not in text),
    names=st.sampled_from(NAMES),
    operands=st.one_of(st.sampled_from(NUMBERS), _values.filter(lambda text: "\0" not in text)),
    numbers=_whole.map(str),
    ids=lambda name: st.sampled_from(IDS[name]),
    regexes=_expressions,
)
"""Vocabulary of queries: values that records have, without NUL, which the parser refuses."""

queries: st.SearchStrategy[Node] = st.one_of(trees(ALIKE, max_leaves=4), leaves(ALIKE), nodes)


@dataclass(frozen=True, slots=True)
class Batch:
    """Records, and queries over all of them."""

    queries: tuple[Node, ...]
    records: tuple[Record, ...]


def _kind(leaf: Leaf) -> str:
    """Returns the kind of a term: for text fields the type of the term and of its field, else the field's type.

    A property that only a few terms can test makes a separate kind: dots that match line breaks, case folding of
    letters outside ASCII, rounding of numbers with many digits.
    """
    match leaf:
        case MatchAll():
            return "MatchAll"
        case Regex():
            has_dots = "." in leaf.pattern.replace("\\.", "")
            return f"Regex {has_dots}"
        case Compare() | Range() if leaf.field.kind is Kind.text:
            return f"{type(leaf).__name__} {_has_many_digits(leaf)} {print_query(leaf).isascii()}"
        case _ if leaf.field.kind in (Kind.text, Kind.body):
            return f"{type(leaf).__name__} {leaf.field.kind.name} {print_query(leaf).isascii()}"
        case _:
            return leaf.field.kind.name


def _has_many_digits(leaf: Compare | Range) -> bool:
    """Returns true if the term compares with a number that has more digits than a float holds exactly."""
    ends = (leaf,) if isinstance(leaf, Compare) else comparisons(leaf)
    return any(is_number(end.operand) and len(end.operand) > MAX_DIGITS for end in ends)


def _each_kind_as_often(terms: list[Leaf]) -> st.SearchStrategy[Leaf]:
    """Returns a strategy that draws each kind of term equally often.

    The terms come from records, because the texts that Hypothesis draws depend on the modules that are loaded.
    """
    return st.one_of([st.sampled_from(list(kind)) for _, kind in groupby(sorted(terms, key=_kind), key=_kind)])


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Draws a batch, in which most queries are about values of its records."""
    found = draw(st.lists(records, min_size=RECORDS[0], max_size=RECORDS[1]))
    aimed = _each_kind_as_often([leaf for record in found for leaf in aimed_at(record)])
    both = st.tuples(aimed, st.one_of(aimed, aimed.map(Not)))
    requested = st.one_of(aimed, aimed, both.map(And), both.map(Or), aimed.map(Not), queries)
    return Batch(tuple(draw(st.lists(requested, min_size=QUERIES[0], max_size=QUERIES[1]))), tuple(found))


def for_random_batches(check: Callable[[Batch], None], pairs: int, *phases: Phase, portion: int = 0) -> None:
    """Calls `check` with batches that have at least `pairs` queries in total.

    Where `check` fails, it is called with smaller batches, if `phases` has `Phase.shrink`. The batches depend on
    `portion`: equal numbers give equal batches.
    """

    @seed(f"{SEED} {portion}")
    @settings(
        max_examples=-(-pairs // QUERIES[0]),
        phases=phases,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(batches())
    def run(batch: Batch) -> None:
        check(batch)

    run()
