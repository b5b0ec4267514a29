"""Lays out the rectangles of a flame graph. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from kit.profile.stacks import Stack, Stacks


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A frame in a flame graph. `left` and `samples` (its width) are numbers of samples, `depth` counts from 0."""

    stack: Stack
    """The frame with all frames that called it, the outermost first."""
    left: int
    samples: int

    @property
    def name(self) -> str:
        return self.stack[-1]

    @property
    def depth(self) -> int:
        return len(self.stack) - 1


def rectangles(stacks: Stacks) -> Iterator[Rectangle]:
    """Yields a rectangle for each frame, as wide as the samples in which it is. Siblings are sorted by name.

    Rectangles of one depth do not overlap, and each lies within the rectangle of its caller.
    """
    pending = [(0, 0, sorted(stacks.items()))]
    while pending:
        depth, left, rows = pending.pop()
        deeper = (row for row in rows if len(row[0]) > depth)
        for _, group in groupby(deeper, key=lambda row: row[0][depth]):
            inside = list(group)
            samples = sum(count for _, count in inside)
            yield Rectangle(inside[0][0][: depth + 1], left, samples)
            pending.append((depth + 1, left, inside))
            left += samples
