"""Counts the steps that the terms of a query cost: regular expressions, terms with stars, which become regular
expressions, and other terms that search a whole text."""

import re
from dataclasses import dataclass
from typing import Final

from backend.language.fields import BODY
from backend.language.nodes import And, Equals, Exists, MatchAll, Node, Not, Or, Regex, Words, distinct_pieces
from backend.language.regexes import check_regex

STAR_STEPS: Final = 16
"""Largest number of instructions in RE2's program for one star that stands between other characters of a term.

A star at an end of a term needs none, because any text may follow there.
"""

GLOB_STAR_STEPS: Final = 8
"""Largest number of instructions in RE2's program for one star between other characters of a glob. ClickHouse compiles
the pattern of LIKE to such a program; live tails use none for globs.
"""
SCAN_STEPS: Final = 1
"""Steps that count for one search for characters in a whole text. It takes about 1 ns for each ASCII character and 4 ns
for each emoji, a step of a regular expression about 5 ns.
"""
_STAR_OR_ESCAPED: Final = re.compile(r"\\.|(\*)", re.DOTALL)


def expression_steps(node: Node) -> int:
    """Returns the number of instructions in RE2's programs for all expressions and stars of the query."""
    match node:
        case And() | Or():
            return sum(expression_steps(operand) for operand in node.operands)
        case Not():
            return expression_steps(node.operand)
        case Regex():
            return check_regex(node.pattern, 0)
        case Words():
            return STAR_STEPS * _inner_stars(node)
        case _:
            return 0


@dataclass(frozen=True, slots=True)
class TextSteps:
    """Largest number of steps that a query takes for each character of a record's texts."""

    body: int = 0
    """Steps for each character of the body."""
    values: int = 0
    """Steps for each character of the longest value of an attribute."""


def text_steps(node: Node) -> TextSteps:
    """Returns the steps of all terms of the query for each character of the texts that they read.

    Terms for the existence of a field, or for its exact value, read at most as many characters as the query has, so
    they have no steps.
    """
    match node:
        case And() | Or():
            each = [text_steps(operand) for operand in node.operands]
            return TextSteps(sum(steps.body for steps in each), sum(steps.values for steps in each))
        case Not():
            return text_steps(node.operand)
        case Regex():
            return TextSteps(body=expression_steps(node))
        case MatchAll() | Exists() | Equals():
            return TextSteps()
    steps = expression_steps(node) + SCAN_STEPS * (_scans(node) if isinstance(node, Words) else 1)
    return TextSteps(body=steps) if node.field == BODY else TextSteps(values=steps)


def star_steps(run: str) -> int:
    """Returns the number of instructions for the stars of an unquoted term."""
    return STAR_STEPS * _stars(run)


def glob_steps(run: str) -> int:
    """Returns the number of instructions for the stars of an unquoted value, which is a glob if it has any."""
    return GLOB_STAR_STEPS * _stars(run)


def _stars(run: str) -> int:
    """Returns the number of stars between other characters."""
    return sum(bool(found[1]) for found in _STAR_OR_ESCAPED.finditer(run.strip("*")))


def _scans(node: Words) -> int:
    """Returns the number of searches: one for each piece, and one for the whole phrase, unless it is a single word."""
    is_word = len(node.words) == 1 and node.words[0].is_literal
    return len(distinct_pieces(node)) + (not is_word)


def _inner_stars(node: Words) -> int:
    stars = sum(len(word.pieces) - 1 if any(word.pieces) else 1 for word in node.words)
    first, last = node.words[0].pieces, node.words[-1].pieces
    return stars - (first[0] == "" and any(first)) - (last[-1] == "" and any(last))
