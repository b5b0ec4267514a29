"""Splits lines into terms and separators, and makes masks for terms that are not repeated.

A term is a run of ASCII letters and digits. In the query language (docs/query-language.md), letters of other alphabets
belong to terms too. A run without spaces that has digits and is repeated, such as a date, an address or an id, also
counts as one term. If its parts were drawn one by one, the made-up text would compress far less than real text.
"""

import random
import re
from collections.abc import Container
from functools import cache
from itertools import groupby
from typing import Final

TERM: Final = re.compile(r"[0-9A-Za-z]+")
_RUN: Final = re.compile(r"[0-9A-Za-z]\S*[0-9A-Za-z]")
_HEX_LETTERS: Final = re.compile(r"[a-f]")
_ALPHABETS: Final = {
    "9": "0123456789",
    "x": "0123456789abcdef",
    "a": "abcdefghijklmnopqrstuvwxyz",
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
}
_SHORTEST_HEX: Final = 6


def runs(line: str) -> list[str]:
    """Returns the runs without spaces that have a digit and consist of more than one term.

    A run begins and ends with a letter or digit.
    """
    return [run for run in _RUN.findall(line) if not run.isalnum() and any(letter.isdigit() for letter in run)]


def split(line: str, whole: Container[str] = ()) -> tuple[list[str], list[str]]:
    """Returns the terms of a line, and the separators before, between and behind them.

    A run without spaces that is in `whole` is one term.
    """
    terms: list[str] = []
    separators = [""]
    at = 0
    for run in _RUN.finditer(line):
        if run[0] in whole:
            _split_into(line[at : run.start()], terms, separators)
            terms.append(run[0])
            separators.append("")
            at = run.end()
    _split_into(line[at:], terms, separators)
    return terms, separators


def _split_into(text: str, terms: list[str], separators: list[str]) -> None:
    terms += TERM.findall(text)
    first, *others = TERM.split(text)
    separators[-1] += first
    separators += others


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
