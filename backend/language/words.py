"""What a word is: the one tokenization that parser, SQL compiler and predicate share.

A word is a run of ASCII letters and digits and of any non-ASCII characters; everything else separates, `_` too. Case
is ignored for ASCII letters only. These are the tokens of ClickHouse's `hasToken` over `lower(x)` (both look at bytes:
all bytes of a non-ASCII character belong to words, and `lower` changes A-Z only).
"""

import re
from string import ascii_lowercase, ascii_uppercase

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_WORD = re.compile("[a-z0-9\x80-\U0010ffff]+")
_SPACED = bytes(byte if byte >= 0x80 or chr(byte).isalnum() else ord(" ") for byte in bytes(range(256)).lower())
"""What each byte of UTF-8 becomes: word characters folded, separators a space."""


def fold_case(text: str) -> str:
    """ASCII letters in lower case, all else as it is; equals ClickHouse's `lower`."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def words(text: str) -> tuple[str, ...]:
    """The words of a text in their order, folded."""
    return tuple(_WORD.findall(fold_case(text)))


def spaced(text: str) -> bytes:
    """The folded text as UTF-8 with a space for each separator and one more at both ends.

    `one_spaced` of it has the words of `words(text)`, at a fraction of its price for a body of some KB.
    """
    return b" %b " % text.encode().translate(_SPACED)


def one_spaced(spaced_text: bytes) -> bytes:
    """What `spaced` gave, with one space before, between and after the words: ` reset by peer `."""
    # Without an argument `split` splits bytes at ASCII white space, of which only spaces are left.
    return b" %b " % b" ".join(spaced_text.split())


def inner_words(text: str) -> tuple[str, ...]:
    """The words a text has whatever it is embedded in: those with a separator of their own on both sides."""
    folded = fold_case(text)
    return tuple(word[0] for word in _WORD.finditer(folded) if word.start() > 0 and word.end() < len(folded))
