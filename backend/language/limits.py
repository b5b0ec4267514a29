"""How large a query may be, so that no text costs more than a search may."""

import re

from kit.errors import InvalidQuery

MAX_CHARACTERS = 8192
MAX_DEPTH = 64
"""Parentheses inside parentheses."""
MAX_TERMS = 256
"""Words, phrases, expressions and values in all, and words and stars in one term."""
MAX_EXPRESSIONS = 16
MAX_EXPRESSION_CHARACTERS = 1024
MAX_EXPRESSION_BYTES = 2**20
"""RE2's budget (`max_mem`) when an expression is checked. Its default, which ClickHouse uses, is eight times as much:
enough for one `\\pL{200}` to take over a second to compile, in each process that does."""
MAX_EXPRESSION_STEPS = 3000
"""Instructions of RE2's programs for a query's expressions together. An expression that needs more sets of them than
RE2 keeps, such as `a[ab]{20}c[ab]{20}d`, costs a body of 4 KB 3 ms and 20 us an instruction more. ClickHouse looks at
its clock and for KILL between blocks of rows only, which are a granule at least, whatever `max_block_size` says (26.7):
some 60 such bodies, so that a statement overruns its time by up to 4 s of CPU a thread."""

_UNTRANSMITTABLE = re.compile("[\0\ud800-\udfff]")


def check_text(text: str) -> None:
    """Raises InvalidQuery for text that is too long or holds characters that no record can hold."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidQuery(
            f"the query is longer than {MAX_CHARACTERS} characters", MAX_CHARACTERS, ("the end of the query",)
        )
    if found := _UNTRANSMITTABLE.search(text):
        kind = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
        raise InvalidQuery(f"the query holds {kind}, which no log can hold", found.start(), ("any other character",))


def check_pieces(count: int, position: int) -> None:
    """Raises InvalidQuery for a term of too many words and stars."""
    if count > MAX_TERMS:
        raise InvalidQuery(f"a term has at most {MAX_TERMS} words and stars", position, ("a shorter term",))
