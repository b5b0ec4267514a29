"""Counters that forget what they no longer count, so that their memory does not grow with each name they have seen."""

from collections import Counter
from typing import TypeVar

K = TypeVar("K")


def decrease(counts: Counter[K], name: K, by: int = 1) -> None:
    """Subtracts from the count of a name, and removes the name when its count is 0."""
    counts[name] -= by
    if not counts[name]:
        del counts[name]
