"""Compiles the language's regular expressions: RE2, pinned so that ClickHouse and google-re2 agree on their meaning."""

from collections.abc import Callable

import re2

from backend.language.limits import MAX_EXPRESSION_BYTES, MAX_EXPRESSION_CHARACTERS
from kit.errors import InvalidQuery

PREFIX = "(?s-i)"
"""Prefix that pins what differs between the two RE2 hosts.

`.` also matches a newline (ClickHouse's `match` sets dot_nl, google-re2 does not), and case counts. Naming the flag
`i`, even negated, also turns off ClickHouse's own search for a literal that every match must contain
(OptimizedRegularExpression::analyze). That search misreads some expressions, such as `[]abc]`.
"""


def pinned(pattern: str) -> str:
    """Returns the expression that every evaluator must compile."""
    return PREFIX + pattern


def search_in(expression: str) -> Callable[[bytes], bool]:
    """Returns a function that says whether the expression is found in UTF-8 text. Runs in linear time.

    The expression is one that `check_regex` accepted, or one made by this package.
    """
    # Enough memory for a checked expression with its prefix, and for 8,192 characters of words with four bytes each.
    options = _options(4 * MAX_EXPRESSION_BYTES)
    options.never_capture = True  # without captures, RE2 needs only its automaton
    try:
        search = re2.compile(expression.encode(), options).search
    finally:
        re2.purge()
    return lambda text: search(text) is not None


def check_regex(pattern: str, position: int) -> int:
    """Returns the number of instructions in RE2's program: the largest number of steps for each byte of a text.

    Raises InvalidQuery for an expression that is too long, and with RE2's message for one that RE2 cannot compile.
    """
    if len(pattern) > MAX_EXPRESSION_CHARACTERS:
        raise InvalidQuery(
            f"this regular expression has {len(pattern):,} characters: write at most {MAX_EXPRESSION_CHARACTERS:,}",
            position,
            ("a shorter regular expression",),
        )
    try:
        return int(re2.compile(pattern, _options(MAX_EXPRESSION_BYTES)).programsize)
    except re2.error as error:
        reason = error.args[0] if error.args else b"not valid"
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidQuery(
            f"the regular expression is not valid RE2 ({text})", position, ("a regular expression in RE2 syntax",)
        ) from None
    finally:
        # google-re2 caches the last 128 expressions, up to 8 MiB each. Without this call, users could fill that memory.
        re2.purge()


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = max_mem
    options.log_errors = False
    return options
