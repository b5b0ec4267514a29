"""Writes queries that find the records of a pattern, or leave them out."""

from collections.abc import Iterator, Sequence
from typing import Final

from backend.language.escapes import quoted
from backend.language.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS
from backend.language.nodes import And, MatchAll, Node, Not, Or, Range, every, without
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.words import inner_words

WILDCARD: Final = "<*>"
MAX_PHRASES: Final = 32
"""Largest number of phrases that a pattern adds to a query, so that the query can still have terms of its own."""
MAX_WORDS: Final = 32
"""Largest number of words in one of these phrases."""


def pattern_queries(node: Node, template: Sequence[str]) -> tuple[str, str] | None:
    """Returns two queries: one finds the pattern's records among the records of the query `node`, the other finds the
    rest of these records.

    The first query finds every record of the pattern. It may find records of other patterns too, because it compares
    words only. Returns None if the template has no whole word outside its wildcards, or if one of the queries would
    exceed the limits of a query.
    """
    phrases = list(dict.fromkeys(_phrases(template)))[:MAX_PHRASES]
    if not phrases:
        return None
    # Built as trees, because parsing a long query again for each of many patterns takes seconds. Each of the nodes that
    # are added may need one more level of parentheses.
    if _terms(node) + len(phrases) > MAX_TERMS or _depth(node) > MAX_DEPTH - 2:
        return None
    words = parse(" ".join(phrases))
    found, rest = words, without(words)
    if not isinstance(node, MatchAll):
        found, rest = every((node, found)), every((node, rest))
    queries = print_query(found), print_query(rest)
    return None if max(map(len, queries)) > MAX_CHARACTERS else queries


def _terms(node: Node) -> int:
    """Returns an upper bound of the number of terms in the text of a query, counted as for MAX_TERMS."""
    match node:
        case Not(operand):
            return _terms(operand)
        case And(operands) | Or(operands):
            return sum(map(_terms, operands))
        case Range():
            return 2
        case _:
            return 1


def _depth(node: Node) -> int:
    """Returns an upper bound of the depth of nested parentheses in the text of a query."""
    match node:
        case Not(operand):
            return _depth(operand)
        case And(operands) | Or(operands):
            return 1 + max(map(_depth, operands))
        case _:
            return 0


def _phrases(template: Sequence[str]) -> Iterator[str]:
    # The start and the end of a message are borders of a word, like white space.
    for constant in f" {' '.join(template)} ".split(WILDCARD):
        found = inner_words(constant)[:MAX_WORDS]
        if found:
            yield quoted(" ".join(found))
