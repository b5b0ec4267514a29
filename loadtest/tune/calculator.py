"""Calculates how many granules a bloom filter lets through, and which filters let few through."""

import math
from collections.abc import Mapping
from typing import Final

from loadtest.tune.candidates import Candidate, Granules, tokenbf

HASHES: Final = 5
_PROPOSED_SHARE: Final = 0.001
"""Largest share of false positives of a proposed filter."""
_KIB: Final = 1_024


def false_positives(kib: float, hashes: int, tokens: float) -> float:
    """Returns the share of granules that pass a bloom filter of so many KiB although they lack the searched token.

    Each granule has `tokens` distinct tokens.

    Source: Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970): (1 - e^(-kn/m))^k.
    """
    return float((1 - math.exp(-hashes * tokens / (kib * 8 * _KIB))) ** hashes)


def smallest_filter(share: float, hashes: int, tokens: float) -> int:
    """Returns the size in KiB of the smallest filter with at most `share` of false positives, by the formula of
    `false_positives`.

    Each granule has `tokens` distinct tokens.
    """
    bits = -hashes * tokens / math.log(1 - share ** (1 / hashes))
    return max(1, math.ceil(bits / (8 * _KIB)))


def proposals(tokens: Mapping[Granules, float], others: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Returns the calculated filter for each kind of granules, unless it is among the `others`.

    `tokens` has the distinct words of a granule.
    """
    proposed = [
        tokenbf(smallest_filter(_PROPOSED_SHARE, HASHES, words) * _KIB, HASHES, granules)
        for granules, words in tokens.items()
    ]
    present = {(each.type, each.granules, each.granularity) for each in others}
    return tuple(each for each in proposed if (each.type, each.granules, each.granularity) not in present)
