"""Makes text from senders and other users safe for a terminal: writes control characters and hidden characters as
escapes.

Control characters in bodies, attributes, labels and error texts could write the clipboard, clear the screen or forge
lines. The console of `stack.cli.console` passes everything that it prints through `visible`. Text that belongs on one
line is passed through `one_line` before.
"""

import json
import unicodedata
from typing import Final

_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters that are drawn as nothing, which Unicode does not count as format characters."""

_DRAWN: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Format characters that have a glyph of their own."""

_JOINERS: Final = frozenset("\u200c\u200d")
_JOINING: Final = ((0x0600, 0x07FF), (0x0900, 0x109F), (0x1780, 0x18AF), (0x2190, 0x2BFF), (0xFE0F, 0xFE0F))
"""Code points of scripts and symbols that zero-width joiners join: first and last, both inclusive."""

_EMOJI: Final = 0x1F000
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """Returns the text with escapes for hidden characters; line ends and tabs stay."""
    if _is_plain(text):
        return text
    return "".join(
        _escape(character) if character not in "\n\t" and _is_hidden(text, at) else character
        for at, character in enumerate(text)
    )


def one_line(text: str) -> str:
    """Returns the text with escapes for hidden characters, line ends and tabs, so that it is printed on one line."""
    shown = visible(text)
    return shown.replace("\n", "\\n").replace("\t", "\\t")


def json_text(value: object, indent: int | None = None) -> str:
    """Returns JSON in which hidden characters of strings are JSON escapes: safe on a terminal, with the same value."""
    return escape_json(json.dumps(value, ensure_ascii=False, indent=indent))


def escape_json(text: str) -> str:
    """Returns the JSON with escapes for the hidden characters of its strings; line ends between values stay."""
    if _is_plain(text):
        return text
    return "".join(
        json.dumps(character)[1:-1] if character not in "\r\n\t" and _is_hidden(text, at) else character
        for at, character in enumerate(text)
    )


def _is_plain(text: str) -> bool:
    """Returns true if the text certainly hides nothing. Fast, and true for most text."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _is_hidden(text: str, at: int) -> bool:
    character = text[at]
    if character in _JOINERS and 0 < at < len(text) - 1 and _joins(text[at - 1]) and _joins(text[at + 1]):
        return False
    if character in _DRAWN:
        return False
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or character in _BLANK_LETTERS


def _joins(character: str) -> bool:
    code = ord(character)
    return code >= _EMOJI or any(first <= code <= last for first, last in _JOINING)


def _escape(character: str) -> str:
    """Returns the escape of a character as programmers write it; the page shows it so too
    (frontend/src/text/signs.ts)."""
    if named := _NAMED.get(character):
        return named
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\u{{{code:X}}}"
