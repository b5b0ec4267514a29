"""What a word is: the one tokenization that parser, SQL compiler and predicate share.

A word is a run of ASCII letters and digits and of any non-ASCII characters; everything else separates, `_` too. Case
is ignored for ASCII letters only. These are the tokens of ClickHouse's `hasToken` over `lower(x)` (both look at bytes:
all bytes of a non-ASCII character belong to words, and `lower` changes A-Z only).
"""

import re
from string import ascii_lowercase, ascii_uppercase

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_WORD = re.compile("[a-z0-9\x80-\U0010ffff]+")


def fold_case(text: str) -> str:
    """ASCII letters in lower case, all else as it is; equals ClickHouse's `lower`."""
    return text.translate(_LOWER)


def words(text: str) -> tuple[str, ...]:
    """The words of a text in their order, folded."""
    return tuple(_WORD.findall(fold_case(text)))


def inner_words(text: str) -> tuple[str, ...]:
    """The words a text has whatever it is embedded in: those with a separator of their own on both sides."""
    folded = fold_case(text)
    return tuple(word[0] for word in _WORD.finditer(folded) if word.start() > 0 and word.end() < len(folded))
