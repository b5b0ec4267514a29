"""The query as a tree: what `parse` gives, `print_query` writes, and every evaluator takes.

Nodes keep no positions, so trees that mean the same compare equal. Words and substrings are folded (`words.fold_case`),
severities, ids and whole numbers are normalized by the parser.
"""

from dataclasses import dataclass
from enum import Enum

from backend.language.fields import BODY, Field


class Comparator(Enum):
    """How a value stands to an operand."""

    greater = ">"
    at_least = ">="
    less = "<"
    at_most = "<="


@dataclass(frozen=True, slots=True)
class WordPattern:
    """One word; between two pieces stands any run of word characters, also an empty one.

    `("time",)` is the word itself, `("time", "")` a prefix, `("", "")` any one word.
    """

    pieces: tuple[str, ...]

    @property
    def is_literal(self) -> bool:
        return len(self.pieces) == 1


@dataclass(frozen=True, slots=True)
class MatchAll:
    """Every record: the empty query, or `*`."""


@dataclass(frozen=True, slots=True)
class Words:
    """These words next to each other in this order in the field's text; one word is the plain case."""

    words: tuple[WordPattern, ...]
    field: Field = BODY


@dataclass(frozen=True, slots=True)
class Substring:
    """These characters, punctuation too, anywhere in the field's text, ASCII case ignored."""

    text: str
    field: Field = BODY


@dataclass(frozen=True, slots=True)
class Regex:
    """An RE2 expression found in the body; see `regexes.pinned` for its flags."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Exists:
    """The record has the field: the attribute is there; a built-in field is not empty, zero or absent."""

    field: Field


@dataclass(frozen=True, slots=True)
class Equals:
    """The field's whole value is this text; for severities and numbers, the number or range it names."""

    field: Field
    value: str


@dataclass(frozen=True, slots=True)
class Glob:
    """The field's whole value is the pieces in order with anything between; at least two pieces."""

    field: Field
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """The field's value compares so to the operand, as numbers where the operand is one, else as UTF-8 bytes."""

    field: Field
    comparator: Comparator
    operand: str


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range."""

    operand: str
    inclusive: bool


@dataclass(frozen=True, slots=True)
class Range:
    """The field's value lies between; None is an open end, and at most one end is open."""

    field: Field
    low: Bound | None
    high: Bound | None


@dataclass(frozen=True, slots=True)
class Not:
    """What the operand does not match; the operand is never itself a Not."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class And:
    """What all operands match; two or more, none of them an And."""

    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """What any operand matches; two or more, none of them an Or."""

    operands: tuple["Node", ...]


Leaf = MatchAll | Words | Substring | Regex | Exists | Equals | Glob | Compare | Range
Node = Leaf | Not | And | Or


def comparisons(node: Range) -> tuple[Compare, ...]:
    """The range as the comparisons it stands for."""
    ends: list[Compare] = []
    if node.low is not None:
        comparator = Comparator.at_least if node.low.inclusive else Comparator.greater
        ends.append(Compare(node.field, comparator, node.low.operand))
    if node.high is not None:
        comparator = Comparator.at_most if node.high.inclusive else Comparator.less
        ends.append(Compare(node.field, comparator, node.high.operand))
    return tuple(ends)
