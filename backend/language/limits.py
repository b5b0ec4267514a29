"""Limits on the size of a query, which bound the cost of parsing and running it."""

import re

from kit.errors import InvalidQuery

MAX_CHARACTERS = 8192
MAX_DEPTH = 64
"""Largest depth of nested parentheses."""
MAX_TERMS = 256
"""Largest number of words, phrases, expressions and values in a query, and of words and stars in one term."""
MAX_EXPRESSIONS = 16
MAX_EXPRESSION_CHARACTERS = 1024
MAX_EXPRESSION_BYTES = 2**20
"""Largest memory in bytes (RE2's `max_mem`) of one expression when it is checked.

ClickHouse uses RE2's default, eight times as much, with which one `\\pL{200}` takes over a second to compile in each
process.
"""
MAX_EXPRESSION_STEPS = 3000
"""Largest number of instructions in RE2's programs for all expressions and stars of a query together.

An expression with more sets of instructions than RE2 caches, such as `a[ab]{20}c[ab]{20}d`, costs 3 ms for a body of 4
KB, and 20 us more for each instruction. ClickHouse (26.7) checks its clock and KILL only between blocks of rows, which
have at least one granule, whatever `max_block_size` says. A block has some 60 such bodies, so a statement may exceed
its time by up to 4 s of CPU a thread.
"""

_REFUSED = re.compile("[\0\ud800-\udfff]")
_NUL = (
    r"a NUL character, which a query cannot contain: write `/\x00/` to find NUL in the body of a log, or `*` in its "
    "place, as in `field:a*b`, to find a value"
)
_HALF_OF_PAIR = "half of a surrogate pair, which no log can contain: remove it"


def check_text(text: str) -> None:
    """Raises InvalidQuery for text that is too long, or has NUL characters or halves of surrogate pairs."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidQuery(
            f"the query has {len(text):,} characters, which is longer than the {MAX_CHARACTERS:,} allowed: shorten it",
            MAX_CHARACTERS,
            ("the end of the query",),
        )
    if found := _REFUSED.search(text):
        reason = _NUL if found[0] == "\0" else _HALF_OF_PAIR
        raise InvalidQuery(f"the query contains {reason}", found.start(), ("any other character",))


def check_pieces(count: int, position: int) -> None:
    """Raises InvalidQuery for a term with too many words and stars."""
    if count > MAX_TERMS:
        raise InvalidQuery(
            f"this term has {count} words and stars: write at most {MAX_TERMS}", position, ("a shorter term",)
        )
