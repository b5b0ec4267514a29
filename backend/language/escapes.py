"""Converts quotes, backslashes and stars between their written form and the characters they stand for."""

import re
from collections.abc import Callable

from kit.errors import InvalidQuery

_BACKSLASH_EXPECTED = ("\\\\ for a backslash",)
_CHARACTER_OR_PAIR = re.compile(r"\\.|.", re.DOTALL)
_ESCAPED_WHEN_WRITTEN = frozenset(' \t\r\n\f\v()"\\*')


def split_stars(run: str, position: int) -> tuple[str, ...]:
    """Returns the literal pieces between the stars of an unquoted run that starts at `position`.

    `a*b` is `("a", "b")`, `a` is `("a",)`, and both `*` and `**` are `("", "")`. Raises InvalidQuery for a quote inside
    the run, and for a backslash at the end or before a letter or digit.
    """
    pieces = [""]
    index = 0
    while index < len(run):
        character = run[index]
        if character == "\\":
            pieces[-1] += _escaped(run, index, position)
            index += 2
            continue
        if character == '"':
            raise InvalidQuery(
                'a quote inside a term: put a space before it, or write \\" for the character',
                position + index,
                ("a space", '\\"'),
            )
        if character == "*":
            pieces.append("")
        else:
            pieces[-1] += character
        index += 1
    return tuple(piece for place, piece in enumerate(pieces) if piece or place in (0, len(pieces) - 1))


def _escaped(run: str, index: int, position: int) -> str:
    following = run[index + 1 : index + 2]
    if not following:
        raise InvalidQuery(
            "nothing follows the backslash: write \\\\ for a backslash", position + index, _BACKSLASH_EXPECTED
        )
    if following.isascii() and following.isalnum():
        raise InvalidQuery(
            f"a backslash before {following} means nothing here: write \\\\ for a backslash",
            position + index,
            _BACKSLASH_EXPECTED,
        )
    return following


def unquoted(quoted: str, position: int) -> str:
    """Returns the text between the quotes.

    Raises InvalidQuery for a backslash before any character but `"` and `\\`.
    """
    text = ""
    index = 1
    while index < len(quoted) - 1:
        if quoted[index] == "\\":
            if quoted[index + 1] not in '"\\':
                raise InvalidQuery(
                    'inside quotes a backslash stands only before " and \\: write \\\\ for a backslash',
                    position + index,
                    ('\\"', "\\\\"),
                )
            index += 1
        text += quoted[index]
        index += 1
    return text


def quoted(text: str) -> str:
    """Returns the text in quotes, so that `unquoted` gives it back."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def with_stars(pieces: tuple[str, ...]) -> str:
    """Returns the pieces as an unquoted run, so that `split_stars` gives them back."""
    return "*".join(
        "".join(f"\\{character}" if character in _ESCAPED_WHEN_WRITTEN else character for character in piece)
        for piece in pieces
    )


def slashes_unescaped(expression: str) -> str:
    """Returns a regular expression without its enclosing slashes. `\\/` becomes `/`; other escapes stay for RE2."""
    return _pairwise(expression[1:-1], lambda pair: "/" if pair == "\\/" else pair)


def slashes_escaped(pattern: str) -> str:
    """Returns the pattern between slashes, so that `slashes_unescaped` gives it back."""
    return "/" + _pairwise(pattern, lambda pair: "\\/" if pair == "/" else pair) + "/"


def _pairwise(text: str, change: Callable[[str], str]) -> str:
    """Applies `change` to each character, and to each backslash together with the character after it."""
    return _CHARACTER_OR_PAIR.sub(lambda found: change(found[0]), text)
