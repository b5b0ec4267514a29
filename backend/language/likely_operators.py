"""Finds operators of other query languages that this language reads as words, as in `error|warn` and `not error`."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from lark import Token

from backend.language import terms
from backend.language.fields import BODY
from backend.language.nodes import And, Node, WordPattern, Words
from backend.language.parse import parse, tokens_of
from backend.language.print import print_query
from kit.errors import InvalidQuery

_OPERATORS = {operator: Words((WordPattern((operator,)),), BODY) for operator in ("and", "or", "not")}
_ALTERNATIVES = re.compile(r"(?<!\S)[^\s\"/|()\\:]+(?:\|\|?[^\s\"/|()\\:]+)+(?!\S)")


_MAY_HAVE: Final = re.compile("|".join((*_OPERATORS, "[|]")), re.IGNORECASE)
_WANTS_OPERAND: Final = frozenset({"_MINUS", "_NOT", "_BODY", "FIELD", "TILDE"})
"""Tokens that take the next token as their operand, which is therefore no operator."""
_STARTS_ALTERNATIVE: Final = frozenset({"LPAR", "_OR", "_AND"})
"""Tokens after which only an operator without an operand on its left can stand."""
_ENDS_ALTERNATIVE: Final = frozenset({"RPAR", "_OR", "_AND"})
"""Tokens before which no operator can stand."""


class Meant(NamedTuple):
    """The meaning of the query text as it is written, and the query that was probably meant."""

    detail: str
    query: str


def may_have_operators(text: str) -> bool:
    """Returns false if `likely_operators` would certainly find nothing in the text. Takes microseconds."""
    return _MAY_HAVE.search(text) is not None


def likely_operators(text: str, node: Node) -> Iterator[Meant]:
    """Yields the probable meanings of words that are operators in other query languages. `node` is the tree of the
    text."""
    yield from _lower_case_operators(text, node)
    if '"' not in text and _ALTERNATIVES.search(text):
        meant = _ALTERNATIVES.sub(lambda found: f"({' OR '.join(re.split('[|]+', found[0]))})", text)
        yield Meant("| separates words; alternatives are written with OR", meant)


def _lower_case_operators(text: str, node: Node) -> Iterator[Meant]:
    if not isinstance(node, And) or not any(word in node.operands for word in _OPERATORS.values()):
        return
    # The text is changed and not the tree, because the tree no longer shows which terms parentheses grouped.
    found = list(_places(text))
    if not found:
        return
    for token, operator in reversed(found):
        text = f"{text[: token.start_pos]}{operator.upper()}{text[token.end_pos :]}"
    try:
        query = print_query(parse(text))
    except InvalidQuery:
        return
    names = sorted({operator for _, operator in found})
    is_one = len(names) == 1
    yield Meant(
        f"{', '.join(names)} {'is searched as a word' if is_one else 'are searched as words'}; "
        f"the {'operator is' if is_one else 'operators are'} written {', '.join(names).upper()}",
        query,
    )


def _places(text: str) -> Iterator[tuple[Token, str]]:
    """Yields the words of the text, in order, that are operators elsewhere and have the operands that the operator
    needs, each with the operator."""
    before: Token | None = None
    # An operator at the end of the text has no operand.
    for token, after in pairwise(tokens_of(text)):
        operator = _operator(token)
        if operator is not None and after.type not in _ENDS_ALTERNATIVE and _may_follow(before, operator):
            yield token, operator
        before = token


def _may_follow(before: Token | None, operator: str) -> bool:
    if before is None or before.type in _STARTS_ALTERNATIVE:
        return operator == "not"
    return before.type not in _WANTS_OPERAND


def _operator(token: Token) -> str | None:
    if token.type != "TEXT":
        return None
    term = terms.bare_term(token, 0)
    return next((operator for operator, word in _OPERATORS.items() if term == word), None)
