"""Tests of a text value: of an attribute or a built-in text column."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from backend.language.nodes import Comparator, Compare, Equals, Glob, Range, Substring, ValueNode, Words, comparisons
from backend.language.numbers import is_number, number_in
from backend.language.words import fold_case, spaced
from backend.predicate.long_texts import LONG, LongTexts
from backend.predicate.words import words_test

TextTest = Callable[[str, LongTexts], bool]
"""Says whether a value satisfies a node. Takes the forms of long values from the second argument."""

COMPARE: Mapping[Comparator, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        Comparator.greater: operator.gt,
        Comparator.at_least: operator.ge,
        Comparator.less: operator.lt,
        Comparator.at_most: operator.le,
    }
)


def value_test(node: ValueNode) -> TextTest:
    """Returns a function that is true for values that satisfy the node."""
    match node:
        case Words():
            has_words = words_test(node)
            return lambda value, long: has_words(spaced(value) if len(value) < LONG else long.spaced(value), long)
        case Substring():
            folded = fold_case(node.text)
            return lambda value, long: folded in (fold_case(value) if len(value) < LONG else long.folded(value))
        case Equals():
            return lambda value, _long: value == node.value
        case Glob():
            return _glob_test(node.pieces)
        case Compare():
            return _comparison_test(node)
        case Range():
            ends = [_comparison_test(end) for end in comparisons(node)]
            return lambda value, long: all(end(value, long) for end in ends)


def _glob_test(pieces: tuple[str, ...]) -> TextTest:
    """Returns the test of a glob. It finds each inner piece at its first place after the piece before.

    This takes linear time. It misses no match, because a star matches any text.
    """
    first, *inner, last = pieces

    def matches(value: str, _long: LongTexts) -> bool:
        if not value.startswith(first):
            return False
        position = len(first)
        for piece in inner:
            found = value.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        return len(value) - position >= len(last) and value.endswith(last)

    return matches


def _comparison_test(node: Compare) -> TextTest:
    compare, operand = COMPARE[node.comparator], node.operand
    if is_number(operand):
        number = float(operand)

        def matches(value: str, long: LongTexts) -> bool:
            found = number_in(value) if len(value) < LONG else long.number(value)
            return found is not None and compare(found, number)

        return matches
    # Python orders text by code points, and UTF-8 keeps that order.
    return lambda value, _long: compare(value, operand)
