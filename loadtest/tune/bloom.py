"""Calculates the share of false positives of bloom filters."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filter:
    """Parameters of the index `tokenbf_v1(bytes, hashes, seed)`: bytes and hash functions of each filter."""

    bytes: int
    hashes: int


def false_positives(filter_: Filter, tokens: float) -> float:
    """Returns the share of granules that pass the filter although they lack the searched token.

    Each granule has `tokens` distinct tokens.

    Source: Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970): (1 - e^(-kn/m))^k.
    """
    return float((1 - math.exp(-filter_.hashes * tokens / (filter_.bytes * 8))) ** filter_.hashes)
