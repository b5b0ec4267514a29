"""Percentiles of measured values."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the nearest-rank percentile: the smallest value that `share` (0 to 1) of all values do not exceed.

    The result is always one of the values, never an interpolation. Raises ValueError if there are no values.
    """
    if not values:
        raise ValueError("a percentile needs at least one value")
    rank = max(1, math.ceil(share * len(values)))
    return sorted(values)[rank - 1]


def finite_percentile(values: Sequence[float], share: float) -> float | None:
    """Like `percentile`, but returns None if there are no values or the percentile is infinite."""
    found = percentile(values, share) if values else math.inf
    return None if found == math.inf else found
