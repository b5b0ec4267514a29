"""Makes masks of terms, and terms from masks.

A term is a run of ASCII letters and digits. In the query language (docs/query-language.md), letters of other alphabets
belong to terms too. A run without spaces that has digits and is repeated, such as a date, an address or an id, also
counts as one term. If its parts were drawn one by one, the made-up text would compress far less than real text.
"""

import random
import re
from functools import cache
from itertools import groupby
from typing import Final

TERM: Final = re.compile(r"[0-9A-Za-z]+")
_HEX_LETTERS: Final = re.compile(r"[a-f]")
_ALPHABETS: Final = {
    "9": "0123456789",
    "x": "0123456789abcdef",
    "a": "abcdefghijklmnopqrstuvwxyz",
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
}
_SHORTEST_HEX: Final = 6


def mask(term: str) -> str:
    """Returns the term with each character replaced by its kind.

    Kinds are `9` for a digit, `a` for a lower-case letter and `A` for an upper-case letter. A term of at least six
    hexadecimal digits, one of them a letter, becomes a run of `x`.
    """
    if len(term) >= _SHORTEST_HEX and _HEX_LETTERS.search(term) and all(letter in _ALPHABETS["x"] for letter in term):
        return "x" * len(term)
    return "".join(_kind(letter) for letter in term)


def _kind(letter: str) -> str:
    return "9" if letter.isdigit() else "a" if letter.islower() else "A" if letter.isupper() else letter


def made_up_term(pattern: str, rng: random.Random) -> str:
    """Returns a made-up term with this mask."""
    return "".join([_run(letter, length, rng) for letter, length in _repeated(pattern)])


@cache
def _repeated(pattern: str) -> tuple[tuple[str, int], ...]:
    """Returns the characters of a mask, each with its number of repetitions."""
    return tuple((letter, len(list(run))) for letter, run in groupby(pattern))


def _run(letter: str, length: int, rng: random.Random) -> str:
    if letter == "9":
        return f"{int(rng.random() * 10**length):0{length}d}"
    if letter == "x":
        return f"{rng.getrandbits(4 * length):0{length}x}"
    return "".join(rng.choices(_ALPHABETS[letter], k=length))
