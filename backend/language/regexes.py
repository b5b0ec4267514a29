"""Regular expressions of the language: RE2, pinned so that ClickHouse and google-re2 mean the same by them."""

from collections.abc import Callable

import re2

from backend.language.limits import MAX_EXPRESSION_BYTES, MAX_EXPRESSION_CHARACTERS
from kit.errors import InvalidQuery

PREFIX = "(?s-i)"
"""Pins what differs between RE2's hosts: `.` also matches a newline (ClickHouse's `match` sets dot_nl, google-re2 does
not) and case counts. Naming the flag `i`, even negated, also turns off ClickHouse's own search for a literal that every
match must contain (OptimizedRegularExpression::analyze), which misreads some expressions, such as `[]abc]`."""


def pinned(pattern: str) -> str:
    """The expression as every evaluator must compile it."""
    return PREFIX + pattern


def search_in(expression: str) -> Callable[[bytes], bool]:
    """Whether UTF-8 text has the expression, which `check_regex` accepted or one of our own makes. In linear time."""
    # Enough for a checked one with its prefix, and for a query's 8,192 characters as words of four bytes each.
    options = _options(4 * MAX_EXPRESSION_BYTES)
    options.never_capture = True  # RE2 then needs no more than its automaton
    try:
        search = re2.compile(expression.encode(), options).search
    finally:
        re2.purge()
    return lambda text: search(text) is not None


def check_regex(pattern: str, position: int) -> int:
    """How many steps each byte of a text may cost: the instructions of RE2's program.

    Raises InvalidQuery for an expression that is too long, and with RE2's message for what RE2 does not compile.
    """
    if len(pattern) > MAX_EXPRESSION_CHARACTERS:
        raise InvalidQuery(
            f"a regular expression has at most {MAX_EXPRESSION_CHARACTERS} characters",
            position,
            ("a shorter regular expression",),
        )
    try:
        return int(re2.compile(pattern, _options(MAX_EXPRESSION_BYTES)).programsize)
    except re2.error as error:
        reason = error.args[0] if error.args else b"not valid"
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidQuery(
            f"the regular expression is not valid RE2: {text}", position, ("a regular expression in RE2 syntax",)
        ) from None
    finally:
        # The module keeps the last 128 expressions, up to 8 MiB each, which would be the sender's to fill.
        re2.purge()


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = max_mem
    options.log_errors = False
    return options
