"""Makes up log text of any length, with the terms, punctuation and repetition of real lines.

A program has a limited number of statements that log. Numbers, ids and addresses change between two lines of one
statement. The words of a shape are therefore drawn once, by their frequency in real lines, and its changing terms for
every line. Equal seeds give equal text.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from typing import Final

from loadtest.corpus.dictionary import Changing, Collection, Shape
from loadtest.corpus.terms import Maker, mask

_MOST_FILLINGS: Final = 40
"""Statements per shape; more fillings than that are a word that changes."""
_POOL: Final = 1024
"""Terms drawn by weight beforehand for each mask: a draw is one random number then."""
_DRAWN_AT_ONCE: Final = 8
_REPEATS: Final = 2


@dataclass(frozen=True, slots=True)
class _Draw:
    """Terms that fill a slot: one of the pool, where None stands for a term made up anew."""

    pool: Sequence[str | None]
    maker: Maker

    def one(self, rng: random.Random) -> str:
        return self.pool[int(rng.random() * len(self.pool))] or self.maker.one(rng)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A printf format, and what fills it."""

    format: str
    draws: tuple[_Draw, ...]

    def line(self, rng: random.Random) -> str:
        return self.format % tuple([draw.one(rng) for draw in self.draws])


class TextSource:
    """Lines and messages of one system; the caller's generator decides which."""

    def __init__(self, collection: Collection, seed: int) -> None:
        rng = random.Random(seed)
        words: defaultdict[int, _Weighted] = defaultdict(_Weighted)
        changing: defaultdict[str, _Weighted] = defaultdict(_Weighted)
        for term, times in collection.terms.items():
            if term.isalpha():
                words[len(term)].add(term, times)
            changing[mask(term)].add(term, times)
        for pattern, times in collection.unrepeated.items():
            changing[pattern].add(None, times)
        draws = {pattern: _Draw(each.many(rng, _POOL), Maker.of(pattern)) for pattern, each in changing.items()}
        self._statements: list[_Statement] = []
        weights: list[float] = []
        for shape in collection.shapes:
            fillings = min(shape.fillings, _MOST_FILLINGS)
            self._statements += [_statement(shape, words, draws, rng) for _ in range(fillings)]
            weights += [shape.lines / fillings] * fillings
        self._weights = list(accumulate(weights))

    def lines(self, rng: random.Random, count: int) -> list[str]:
        """Makes `count` lines, each as long as its statement makes it."""
        statements = rng.choices(self._statements, cum_weights=self._weights, k=count)
        return [statement.line(rng) for statement in statements]

    def message(self, rng: random.Random, size: int) -> str:
        """Makes a line extended to exactly `size` characters, all ASCII; the line decides its extension."""
        (seed,) = self.lines(rng, 1)
        return self.extend(seed, size)

    def extend(self, message: str, size: int) -> str:
        """Returns the message, followed by further lines up to `size` characters: a function of the message alone."""
        rng = random.Random(blake2b(message.encode(), digest_size=8).digest())
        lines, length = [message], len(message)
        while length < size:
            for line in self.lines(rng, _DRAWN_AT_ONCE):
                lines.append(line)
                length += len(line) + 1
        return "\n".join(lines)[:size]


class _Weighted:
    """Terms with the frequency of each; None stands for terms that occur once."""

    def __init__(self) -> None:
        self._terms: list[str | None] = []
        self._weights: list[int] = []

    def add(self, term: str | None, weight: int) -> None:
        self._terms.append(term)
        self._weights.append(weight)

    def many(self, rng: random.Random, count: int) -> list[str | None]:
        return rng.choices(self._terms, self._weights, k=count)


def _statement(shape: Shape, words: dict[int, _Weighted], draws: dict[str, _Draw], rng: random.Random) -> _Statement:
    parts = [_escaped(shape.separators[0])]
    filled: list[_Draw] = []
    for slot, separator in zip(shape.slots, shape.separators[1:], strict=True):
        if isinstance(slot, int):
            (word,) = words[slot].many(rng, 1)
            parts.append(word or "")
        else:
            parts.append("%s")
            filled.append(_own(slot, shape.lines, draws[slot.mask], rng))
        parts.append(_escaped(separator))
    return _Statement("".join(parts), tuple(filled))


def _own(slot: Changing, lines: int, draw: _Draw, rng: random.Random) -> _Draw:
    """Gives a slot that repeats itself in real lines a few terms of its own.

    Other slots draw from the terms of all slots.
    """
    if slot.seen * _REPEATS > lines:
        return draw
    return _Draw([draw.one(rng) for _ in range(slot.seen)], draw.maker)


def _escaped(separator: str) -> str:
    return separator.replace("%", "%%")
