"""Splits text into words, in the way that parser, SQL compiler and predicate share.

A word is a run of ASCII letters, digits and non-ASCII characters. All other characters separate words, `_` too. Case is
ignored for ASCII letters only. These are the tokens of ClickHouse's `hasToken` over `lower(x)`: both work on bytes,
take all bytes of a non-ASCII character as parts of words, and `lower` changes A-Z only.
"""

import re
from typing import Final

_WORD = re.compile("[a-z0-9\x80-\U0010ffff]+")
_SPACED = bytes(byte if byte >= 0x80 or chr(byte).isalnum() else ord(" ") for byte in bytes(range(256)).lower())
"""Table for `bytes.translate` over UTF-8: folds word characters and makes each separator a space."""

_AT_ONCE: Final = 2**16
"""Bytes in which `one_spaced` replaces spaces at once. Other threads can run in between, and little memory is used."""


def fold_case(text: str) -> str:
    """Returns the text with ASCII letters in lower case, like ClickHouse's `lower`."""
    if text.isascii():
        return text.lower()
    # `bytes.lower` changes A-Z only. Expressions may have halves of surrogate pairs, such as `\x{d800}`.
    return text.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")


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
    """Returns the result of `spaced` with one space before, between and after the words: ` reset by peer `.

    A text without words becomes a single space.
    """
    if b"  " not in spaced_text:
        return spaced_text
    if len(spaced_text) <= _AT_ONCE:
        return _single_spaces(spaced_text)
    parts = [b""]
    for start in range(0, len(spaced_text), _AT_ONCE):
        part = _single_spaces(spaced_text[start : start + _AT_ONCE])
        part = part[1:] if part.startswith(b" ") and parts[-1].endswith(b" ") else part
        # An empty part would hide the space at the end of the part before.
        if part:
            parts.append(part)
    return b"".join(parts)


def _single_spaces(text: bytes) -> bytes:
    """Returns the text with one space for each run of spaces. To split the text would make an object for each word."""
    # A result of `spaced` has no NUL. In a run of n spaces, a NUL stands before a space n - 1 times.
    return text.replace(b" ", b" \0").replace(b"\0 ", b"").translate(None, b"\0")


def inner_words(text: str) -> tuple[str, ...]:
    """Returns the words that stay words in any surrounding text: those with a separator inside `text` on both sides."""
    folded = fold_case(text)
    return tuple(word[0] for word in _WORD.finditer(folded) if word.start() > 0 and word.end() < len(folded))


def without_last_word(text: str) -> str:
    """Returns the text up to its last separator, inclusive. Returns an empty text if it has no separator."""
    encoded = text.encode()
    return encoded[: encoded.translate(_SPACED).rfind(b" ") + 1].decode()
