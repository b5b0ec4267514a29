"""Calculator for bloom filters, from the number of distinct tokens that they have to hold."""

import math
from dataclasses import dataclass
from typing import Final

_SMALLEST: Final = 1 << 10
_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Filter:
    """The parameters of `tokenbf_v1(bytes, hashes, seed)` for one granule of an index."""

    bytes: int
    hashes: int


def false_positives(filter_: Filter, tokens: float) -> float:
    """Returns the share of granules without a token that the filter lets through, with `tokens` distinct ones in each.

    Source: Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970): (1 - e^(-kn/m))^k.
    """
    return float((1 - math.exp(-filter_.hashes * tokens / (filter_.bytes * 8))) ** filter_.hashes)


def best_hashes(size: int, tokens: float) -> int:
    """Returns the number of hash functions with the fewest false positives for a filter of `size` bytes."""
    return max(1, min(12, round(size * 8 / tokens * math.log(2))))


def smallest(tokens: float, share: float) -> Filter:
    """Returns the smallest filter, a power of two of bytes, that lets through at most `share`; the largest if none
    does."""
    size = _SMALLEST
    while size < _LARGEST:
        found = Filter(size, best_hashes(size, tokens))
        if false_positives(found, tokens) <= share:
            return found
        size *= 2
    return Filter(_LARGEST, best_hashes(_LARGEST, tokens))
