"""Calculator for bloom filters, from the number of distinct tokens that they have to hold."""

import math
from dataclasses import dataclass


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
