"""Evaluates a query on decoded rows, for live tails, whose messages ClickHouse may not have yet.

Its meaning is exactly that of `compile_filter` in SQL; tests/search/test_evaluators_agree.py compares the two.
"""

from dataclasses import dataclass

from backend.language.fields import BODY, Source
from backend.language.nodes import And, Leaf, MatchAll, Node, Not, Or, Regex, Words
from backend.language.regexes import pinned, search_in
from backend.predicate.attributes import attribute_selection
from backend.predicate.columns import column_selection
from backend.predicate.rows import Rows
from backend.predicate.selection import Selection, either, every, everything, without
from backend.predicate.words import words_test


@dataclass(frozen=True, slots=True)
class Predicate:
    """A prepared query. Keeps no state between calls, so any number of threads may use it."""

    _selection: Selection

    def within(self, rows: Rows, numbers: range) -> list[int]:
        """Returns those of the given row numbers that match, ascending."""
        return self._selection(rows, list(numbers))


def compile_predicate(node: Node) -> Predicate:
    """Returns the predicate of a query, for every node that the parser can give. Raises nothing."""
    return Predicate(_selection(node))


def _selection(node: Node) -> Selection:
    if isinstance(node, And):
        return every([_selection(operand) for operand in node.operands])
    if isinstance(node, Or):
        return either([_selection(operand) for operand in node.operands])
    if isinstance(node, Not):
        return without(_selection(node.operand))
    return _leaf(node)


def _leaf(node: Leaf) -> Selection:
    match node:
        case MatchAll():
            return everything
        case Regex():
            return _regex_in_body(node)
        case Words() if node.field == BODY:
            return _words_in_body(node)
        case _:
            return (column_selection if node.field.source is Source.record else attribute_selection)(node)


def _words_in_body(node: Words) -> Selection:
    test = words_test(node)
    return lambda rows, candidates: [row for row in candidates if test(rows.spaced_body(row), rows.long_texts)]


def _regex_in_body(node: Regex) -> Selection:
    found = search_in(pinned(node.pattern))
    return lambda rows, candidates: [row for row in candidates if found(rows.columns.body[row].encode())]
