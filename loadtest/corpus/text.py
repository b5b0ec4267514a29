"""Makes up log text of any length, with the terms, punctuation and repetition of real lines.

A program has a limited number of statements that log. Numbers, ids and addresses change between two lines of one
statement. The words of a statement are therefore drawn once, by their frequency in real lines. The changing terms are
drawn for every line. Equal seeds give equal text.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from typing import Final

from loadtest.corpus.dictionary import Changing, Collection, Shape, shipped
from loadtest.corpus.terms import made_up_term, mask

_MAX_FILLINGS: Final = 40
"""Largest number of statements made from one shape."""
_POOL: Final = 1024
"""Terms that are drawn by weight in advance for each mask, so that a later draw needs one random number."""
_DRAWN_AT_ONCE: Final = 8
_REPEATS: Final = 2

_Weighted = dict[str | None, int]
"""Frequency of each term. None stands for the rare terms, of which only the mask is known."""


@dataclass(frozen=True, slots=True)
class _Draw:
    """Draws the terms of a slot, which have one mask, from a pool. None stands for a term that is made up."""

    pool: Sequence[str | None]
    mask: str

    def one(self, rng: random.Random) -> str:
        return self.pool[int(rng.random() * len(self.pool))] or made_up_term(self.mask, rng)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A logging statement: a printf format, and for each `%s` in it the draw that fills it."""

    format: str
    draws: tuple[_Draw, ...]

    def line(self, rng: random.Random) -> str:
        return self.format % tuple([draw.one(rng) for draw in self.draws])


class TextSource:
    """Makes up lines and messages of one system.

    The statements depend on `seed`, the lines also on the caller's random generator.
    """

    def __init__(self, collection: Collection, seed: int) -> None:
        rng = random.Random(seed)
        words: defaultdict[int, _Weighted] = defaultdict(dict)
        changing: defaultdict[str, _Weighted] = defaultdict(dict)
        for term, times in collection.terms.items():
            if term.isalpha():
                words[len(term)][term] = times
            changing[mask(term)][term] = times
        for pattern, times in collection.unrepeated.items():
            changing[pattern][None] = times
        draws = {pattern: _Draw(_drawn(each, rng, _POOL), pattern) for pattern, each in changing.items()}
        self._statements: list[_Statement] = []
        weights: list[float] = []
        for shape in collection.shapes:
            fillings = min(shape.fillings, _MAX_FILLINGS)
            self._statements += [_statement(shape, words, draws, rng) for _ in range(fillings)]
            weights += [shape.lines / fillings] * fillings
        self._weights = list(accumulate(weights))

    def lines(self, rng: random.Random, count: int) -> list[str]:
        """Returns `count` lines. The length of a line depends on its statement."""
        statements = rng.choices(self._statements, cum_weights=self._weights, k=count)
        return [statement.line(rng) for statement in statements]

    def message(self, rng: random.Random, size: int) -> str:
        """Returns a text of exactly `size` ASCII characters: a line, and further lines that depend only on it."""
        (seed,) = self.lines(rng, 1)
        return self.extend(seed, size)

    def extend(self, message: str, size: int) -> str:
        """Returns the message followed by further lines, cut to `size` characters.

        The further lines depend only on the message.
        """
        rng = random.Random(blake2b(message.encode(), digest_size=8).digest())
        lines, length = [message], len(message)
        while length < size:
            for line in self.lines(rng, _DRAWN_AT_ONCE):
                lines.append(line)
                length += len(line) + 1
        return "\n".join(lines)[:size]


@lru_cache(maxsize=4)
def shipped_texts(seed: int) -> tuple[tuple[str, TextSource], ...]:
    """Returns the name and the texts of each system of the shipped dictionary. Equal seeds share the texts."""
    return tuple((each.system, TextSource(each, seed)) for each in shipped().collections)


def _drawn(terms: _Weighted, rng: random.Random, count: int) -> list[str | None]:
    return rng.choices(list(terms), list(terms.values()), k=count)


def _statement(shape: Shape, words: dict[int, _Weighted], draws: dict[str, _Draw], rng: random.Random) -> _Statement:
    parts = [_escaped(shape.separators[0])]
    filled: list[_Draw] = []
    for slot, separator in zip(shape.slots, shape.separators[1:], strict=True):
        if isinstance(slot, int):
            (word,) = _drawn(words[slot], rng, 1)
            parts.append(word or "")
        else:
            parts.append("%s")
            filled.append(_own(slot, shape.lines, draws[slot.mask], rng))
        parts.append(_escaped(separator))
    return _Statement("".join(parts), tuple(filled))


def _own(slot: Changing, lines: int, draw: _Draw, rng: random.Random) -> _Draw:
    """Returns the draw for a slot.

    A slot whose terms are repeated in real lines gets a few terms of its own. Other slots draw from the terms of all
    slots with the same mask.
    """
    if slot.seen * _REPEATS > lines:
        return draw
    return _Draw([draw.one(rng) for _ in range(slot.seen)], draw.mask)


def _escaped(separator: str) -> str:
    return separator.replace("%", "%%")
