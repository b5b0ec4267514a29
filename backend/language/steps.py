"""Counts the cost of a query's regular expressions, and of terms with stars, which are searched as such expressions."""

import re
from typing import Final

from backend.language.nodes import And, Node, Not, Or, Regex, Words
from backend.language.regexes import check_regex

STAR_STEPS: Final = 16
"""Largest number of instructions in RE2's program for one star that stands between other characters of a term.

A star at an end of a term needs none, because any text may follow there.
"""

GLOB_STAR_STEPS: Final = 8
"""Largest number of instructions in RE2's program for one star between other characters of a glob. ClickHouse compiles
the pattern of LIKE to such a program; live tails use none for globs.
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


def star_steps(run: str) -> int:
    """Returns the number of instructions for the stars of an unquoted term."""
    return STAR_STEPS * _stars(run)


def glob_steps(run: str) -> int:
    """Returns the number of instructions for the stars of an unquoted value, which is a glob if it has any."""
    return GLOB_STAR_STEPS * _stars(run)


def _stars(run: str) -> int:
    """Returns the number of stars between other characters."""
    return sum(bool(found[1]) for found in _STAR_OR_ESCAPED.finditer(run.strip("*")))


def _inner_stars(node: Words) -> int:
    stars = sum(len(word.pieces) - 1 if any(word.pieces) else 1 for word in node.words)
    first, last = node.words[0].pieces, node.words[-1].pieces
    return stars - (first[0] == "" and any(first)) - (last[-1] == "" and any(last))
