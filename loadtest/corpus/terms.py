"""Splits lines into terms and separators, and makes the masks that stand for terms that do not come again.

A term is a run of ASCII letters and digits, as in the query language (docs/query-language.md) but for other alphabets.
A run of anything but spaces that has digits and comes again, such as a date, an address or an id, is one term too:
otherwise its parts would be drawn one by one, and what was made up would hardly compress.
"""

import random
import re
from collections.abc import Container
from dataclasses import dataclass
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
    """Returns the runs without spaces, from the first letter or digit to the last, that have digits and more than one
    term."""
    return [run for run in _RUN.findall(line) if not run.isalnum() and any(letter.isdigit() for letter in run)]


def split(line: str, whole: Container[str] = ()) -> tuple[list[str], list[str]]:
    """Returns the terms, and the separators before, between and behind them; runs of `whole` stay one term."""
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
    """Returns the term with a letter for each kind of character: `9` digit, `x` hexadecimal digit, `a` and `A`
    letters."""
    if len(term) >= _SHORTEST_HEX and _HEX_LETTERS.search(term) and all(letter in _ALPHABETS["x"] for letter in term):
        return "x" * len(term)
    return "".join(_kind(letter) for letter in term)


def _kind(letter: str) -> str:
    return "9" if letter.isdigit() else "a" if letter.islower() else "A" if letter.isupper() else letter


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes up terms of one mask."""

    runs: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, pattern: str) -> "Maker":
        """Prepares the maker of a mask."""
        return cls(tuple((letter, len(list(run))) for letter, run in groupby(pattern)))

    def one(self, rng: random.Random) -> str:
        return "".join([_run(letter, length, rng) for letter, length in self.runs])


def _run(letter: str, length: int, rng: random.Random) -> str:
    if letter == "9":
        return f"{int(rng.random() * 10**length):0{length}d}"
    if letter == "x":
        return f"{rng.getrandbits(4 * length):0{length}x}"
    return "".join(rng.choices(_ALPHABETS[letter], k=length))
