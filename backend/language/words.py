"""Splits text into words, in the way that parser, SQL compiler and predicate share.

A word is a run of ASCII letters, digits and non-ASCII characters. All other characters separate words, `_` too. Case is
ignored for ASCII letters only. These are the tokens of ClickHouse's `hasToken` over `lower(x)`: both work on bytes,
take all bytes of a non-ASCII character as parts of words, and `lower` changes A-Z only.
"""

import re
from string import ascii_lowercase, ascii_uppercase

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_WORD = re.compile("[a-z0-9\x80-\U0010ffff]+")
_SPACED = bytes(byte if byte >= 0x80 or chr(byte).isalnum() else ord(" ") for byte in bytes(range(256)).lower())
"""Table for `bytes.translate` over UTF-8: folds word characters and makes each separator a space."""


def fold_case(text: str) -> str:
    """Returns the text with ASCII letters in lower case, like ClickHouse's `lower`."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def words(text: str) -> tuple[str, ...]:
    """Returns the words of a text in their order, folded."""
    return tuple(_WORD.findall(fold_case(text)))


def spaced(text: str) -> bytes:
    """Returns the folded text as UTF-8, with a space in place of each separator and a further space at each end.
    `one_spaced` of the result has the words of `words(text)`. For a body of a few KB this is many times cheaper than
    `words`.
    """
    return b" %b " % text.encode().translate(_SPACED)


def one_spaced(spaced_text: bytes) -> bytes:
    """Returns the result of `spaced` with one space before, between and after the words: ` reset by peer `."""
    # Without an argument, `split` splits bytes at ASCII white space; here only spaces are left.
    return b" %b " % b" ".join(spaced_text.split())


def inner_words(text: str) -> tuple[str, ...]:
    """Returns the words that stay words in any surrounding text: those with a separator inside `text` on both sides."""
    folded = fold_case(text)
    return tuple(word[0] for word in _WORD.finditer(folded) if word.start() > 0 and word.end() < len(folded))


def without_last_word(text: str) -> str:
    """Returns the text up to its last separator, inclusive. Returns an empty text if it has no separator."""
    encoded = text.encode()
    return encoded[: encoded.translate(_SPACED).rfind(b" ") + 1].decode()
