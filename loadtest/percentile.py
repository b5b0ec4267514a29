"""Percentiles of what was measured."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the nearest-rank percentile: the least value that `share` (0 to 1) of all values do not exceed.

    It is always one of the values, so a p99 is never better than what really happened. Raises ValueError without any.
    """
    if not values:
        raise ValueError("there is no percentile of nothing")
    rank = max(1, math.ceil(share * len(values)))
    return sorted(values)[rank - 1]
