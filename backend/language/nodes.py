"""The query as a tree. `parse` builds it, `print_query` writes it, and every evaluator takes it.

Nodes have no positions, so trees with the same meaning compare equal. The parser folds words and substrings
(`words.fold_case`) and normalizes severities, ids and whole numbers.
"""

from dataclasses import dataclass
from enum import Enum

from backend.language.fields import BODY, Field


class Comparator(Enum):
    """A comparison between a field's value and an operand."""

    greater = ">"
    at_least = ">="
    less = "<"
    at_most = "<="


@dataclass(frozen=True, slots=True)
class WordPattern:
    """One word. Between two pieces it may have any number of word characters, also none.

    `("time",)` is the word itself, `("time", "")` a prefix, `("", "")` any one word.
    """

    pieces: tuple[str, ...]

    @property
    def is_literal(self) -> bool:
        return len(self.pieces) == 1


@dataclass(frozen=True, slots=True)
class MatchAll:
    """Matches every record: the empty query, or `*`."""


@dataclass(frozen=True, slots=True)
class Words:
    """Matches a field whose text has these words next to each other, in this order. May be a single word."""

    words: tuple[WordPattern, ...]
    field: Field = BODY


@dataclass(frozen=True, slots=True)
class Substring:
    """Matches a field whose text has these characters anywhere, punctuation included. ASCII case is ignored."""

    text: str
    field: Field = BODY


@dataclass(frozen=True, slots=True)
class Regex:
    """Matches a body in which the RE2 expression is found; see `regexes.pinned` for its flags."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Exists:
    """Matches a record that has the attribute. A built-in field must be present, not empty and not zero."""

    field: Field


@dataclass(frozen=True, slots=True)
class Equals:
    """Matches a field whose whole value is this text.

    Severities and numbers match the number or range that it names.
    """

    field: Field
    value: str


@dataclass(frozen=True, slots=True)
class Glob:
    """Matches a field whose whole value has the pieces in order, with anything between. Has at least two pieces."""

    field: Field
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """Compares a field with the operand: as numbers if the operand is one, otherwise as UTF-8 bytes."""

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
    """Matches a field whose value lies between two bounds. None means no bound on that side; at most one is None."""

    field: Field
    low: Bound | None
    high: Bound | None


@dataclass(frozen=True, slots=True)
class Not:
    """Matches the records that the operand does not match. The operand is never a Not."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class And:
    """Matches the records that all operands match. Has at least two operands, none of them an And."""

    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Matches the records that any operand matches. Has at least two operands, none of them an Or."""

    operands: tuple["Node", ...]


ValueNode = Words | Substring | Equals | Glob | Compare | Range
"""A condition on the value of a field."""
Leaf = MatchAll | Regex | Exists | ValueNode
Node = Leaf | Not | And | Or


def comparisons(node: Range) -> tuple[Compare, ...]:
    """Returns the comparisons that together mean the range."""
    ends: list[Compare] = []
    if node.low is not None:
        comparator = Comparator.at_least if node.low.inclusive else Comparator.greater
        ends.append(Compare(node.field, comparator, node.low.operand))
    if node.high is not None:
        comparator = Comparator.at_most if node.high.inclusive else Comparator.less
        ends.append(Compare(node.field, comparator, node.high.operand))
    return tuple(ends)


def distinct_pieces(node: Words) -> tuple[str, ...]:
    """Returns the pieces of the words, each once, without empty ones. Every matching text has all of them."""
    return tuple(dict.fromkeys(piece for word in node.words for piece in word.pieces if piece))


def every(nodes: tuple[Node, ...]) -> Node:
    """Returns the node for the records that all of at least two nodes match."""
    return And(tuple(part for node in nodes for part in (node.operands if isinstance(node, And) else (node,))))


def without(node: Node) -> Node:
    """Returns the node for the records that `node` does not match."""
    return node.operand if isinstance(node, Not) else Not(node)
