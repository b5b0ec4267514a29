"""Finds operators of other query languages that this language reads as words, as in `error|warn` and `not error`."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from backend.language.fields import BODY
from backend.language.nodes import And, Node, Not, Or, WordPattern, Words
from backend.language.print import print_query

_OPERATORS = ("and", "or", "not")
_ALTERNATIVES = re.compile(r"(?<!\S)[^\s\"/|()\\:]+(?:\|\|?[^\s\"/|()\\:]+)+(?!\S)")


_MAY_HAVE: Final = re.compile("|".join((*_OPERATORS, "[|]")), re.IGNORECASE)


class Meant(NamedTuple):
    """The meaning of the query text as it is written, and the query that was probably meant."""

    detail: str
    query: str


def may_have_operators(text: str) -> bool:
    """Returns false if `likely_operators` would certainly find nothing in the text. Takes microseconds."""
    return _MAY_HAVE.search(text) is not None


def likely_operators(text: str, node: Node) -> Iterator[Meant]:
    """Yields the probable meanings of words that are operators in other query languages."""
    yield from _lower_case_operators(node)
    if '"' not in text and _ALTERNATIVES.search(text):
        meant = _ALTERNATIVES.sub(lambda found: f"({' OR '.join(re.split('[|]+', found[0]))})", text)
        yield Meant("| separates words; alternatives are written with OR", meant)


def _lower_case_operators(node: Node) -> Iterator[Meant]:
    if not isinstance(node, And):
        return
    for operator in _OPERATORS:
        word = Words((WordPattern((operator,)),), BODY)
        if word in node.operands:
            meant = _combined(node.operands, word)
            if meant is not None:
                detail = f"{operator} is searched as a word; the operator is written {operator.upper()}"
                yield Meant(detail, print_query(meant))


def _combined(operands: tuple[Node, ...], operator: Words) -> Node | None:
    """Returns the operands combined as if the word were an operator, or None if it has no operand."""
    place = operands.index(operator)
    before, after = operands[:place], operands[place + 1 :]
    if not after or (not before and operator.words[0].pieces != ("not",)):
        return None
    match operator.words[0].pieces[0]:
        case "not":
            first = after[0].operand if isinstance(after[0], Not) else Not(after[0])
            return _all((*before, first, *after[1:]))
        case "or":
            return Or((_all(before), _all(after)))
        case _:
            return _all((*before, *after))


def _all(operands: tuple[Node, ...]) -> Node:
    return operands[0] if len(operands) == 1 else And(operands)
