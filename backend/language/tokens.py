"""Checks the token stream for what a grammar cannot express: significant white space, and limits."""

import re
from collections.abc import Iterator
from typing import Final

from lark import Token
from lark.lark import PostLex

from backend.language.escapes import quoted, slashes_unescaped
from backend.language.limits import MAX_DEPTH, MAX_EXPRESSION_STEPS, MAX_EXPRESSIONS, MAX_TERMS
from backend.language.regexes import check_regex
from backend.language.steps import GLOB_STAR_STEPS, STAR_STEPS, glob_steps, star_steps
from kit.errors import InvalidQuery

_LEAVES = frozenset({"TEXT", "QUOTED", "REGEX", "VALUE", "GROUPED", "BOUND"})
_VALUES = frozenset({"VALUE", "GROUPED"})
_ENDS_OPERAND = _LEAVES | {"RPAR", "RANGE_CLOSE"}
_STARTS_OPERAND = _LEAVES | {"LPAR", "FIELD", "_BODY", "_MINUS", "_NOT", "RANGE_OPEN", "COMPARATOR", "TILDE"}
_DEEPER = {"LPAR": 1, "CALL": 1, "COUNT_IF": 1, "TIME": 1, "RPAR": -1}
"""Change of the depth of parentheses at a token."""
_WANTS_VALUE = frozenset({"FIELD", "_BODY", "COMPARATOR", "TILDE"})
_STAGE_IN_WORD: Final = re.compile(r"(?:^|\|)(?:stats|sort|limit)$")
"""Matches a word that is the name of a stage, such as `stats`, or that ends with a pipe and the name, such as
`error|stats`."""


class TokenRules(PostLex):
    """Raises InvalidQuery for misplaced spaces, too many or too deeply nested terms, and bad regular expressions.

    A regular expression is bad if RE2 cannot compile it or it costs too much. Keeps no state.
    """

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        before: Token | None = None
        pipe: int | None = None
        depth = terms = expressions = steps = 0
        for token in stream:
            if before is not None:
                _check_gap(before, token, pipe)
            pipe = _pipe_in_word(before, token) or pipe
            depth += _DEEPER.get(token.type, 0)
            terms += token.type in _LEAVES
            expressions += token.type == "REGEX"
            _check_limit(token, depth, MAX_DEPTH, "levels of parentheses")
            _check_limit(token, terms, MAX_TERMS, "terms")
            _check_limit(token, expressions, MAX_EXPRESSIONS, "regular expressions")
            if token.type == "REGEX":
                steps += check_regex(slashes_unescaped(token), start_of(token))
            elif token.type == "TEXT" or (before is not None and before.type == "TILDE"):
                steps += star_steps(token)
            elif token.type in _VALUES:
                steps += glob_steps(token)
            _check_steps(token, steps)
            before = token
            yield token


def start_of(token: Token) -> int:
    """Returns the position at which the token begins in the text."""
    return token.start_pos or 0


def _check_limit(token: Token, count: int, limit: int, what: str) -> None:
    if count > limit:
        raise InvalidQuery(f"a query has at most {limit} {what}", start_of(token), ("a simpler query",))


def _check_steps(token: Token, steps: int) -> None:
    if steps > MAX_EXPRESSION_STEPS:
        raise InvalidQuery(
            "the regular expressions and stars of this query are too complex: with repetitions such as {300} written "
            f"out, {STAR_STEPS} for each star inside a term, and {GLOB_STAR_STEPS} for each star inside a glob, they "
            f"have {steps:,} steps up to here, and at most {MAX_EXPRESSION_STEPS:,} are allowed",
            start_of(token),
            ("fewer repetitions such as {300}", "fewer stars inside terms", "a simpler regular expression"),
        )


def _pipe_in_word(before: Token | None, token: Token) -> int | None:
    """Returns the position of a pipe that belongs to a word and was probably meant to start a stage such as | stats. It
    is the last character of the word before the stage's name, or stands before the name in the same word."""
    found = _STAGE_IN_WORD.search(token) if token.type == "TEXT" else None
    if found is None:
        return None
    if found[0].startswith("|"):
        return start_of(token) + found.start()
    if before is None or before.type != "TEXT" or not before.endswith("|"):
        return None
    return start_of(before) + len(before) - 1


def _check_gap(before: Token, token: Token, pipe: int | None) -> None:
    """Raises InvalidQuery if white space between two tokens is missing or misplaced. `pipe` is the position of the last
    pipe that was read as part of a word."""
    end = before.end_pos or 0
    touching = end == start_of(token)
    if before.type in _WANTS_VALUE and not touching:
        is_name = before.type in {"FIELD", "_BODY"}
        advice = f"; to search for the word itself write {quoted(str(before))}" if is_name else ""
        raise InvalidQuery(
            f"a value must follow {before} without a space{advice}", end, ("a value", "a value in quotes")
        )
    if before.type == "_MINUS" and not touching:
        raise InvalidQuery(
            "- must touch the term that it excludes; to search for the character write *-*",
            start_of(before),
            ("a term right after -",),
        )
    if touching and before.type in _ENDS_OPERAND and token.type in _STARTS_OPERAND:
        if (before.type, token.type) == ("RPAR", "LPAR"):
            return
        if token.type == "LPAR" and pipe is not None:
            raise InvalidQuery("a space is missing before |; without one, | belongs to the word", pipe, ("a space",))
        if before.type == "REGEX":
            detail = "a space is missing after the regular expression; write \\/ for a slash inside it"
        else:
            detail = "a space is missing between two terms; text with parentheses or quotes inside goes in quotes"
        raise InvalidQuery(detail, end, ("a space",))
