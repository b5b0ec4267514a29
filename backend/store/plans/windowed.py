"""Windows of time, the nearest first, that grow until the page is full; each is read by one of the other plans.

An index on the words of bodies that costs a filter per granule (tokenbf_v1) is then asked about the windows only, and
a filter that no index answers is tried on little before it is tried on much.
"""

import math
from collections.abc import AsyncIterator
from typing import Final

from backend.store.execute import Executor
from backend.store.limits import ran_too_long
from backend.store.page import Page
from backend.store.plans.extent import Extent
from backend.store.plans.one_range import ReadRange
from backend.store.query import Query
from backend.store.windows import FIRST_NS, far_edge, first_edge, window_from
from kit.errors import QueryTooExpensive

FIRST_GRANULES: Final = 512
"""Granules of the first window, where records are spread evenly over the range. Asking a token filter of 8 KiB costs
1 microsecond from the server's cache and 3 otherwise, a further statement 8 ms; 2,048 and 4,096 were slower in the
geometric mean: most of what is asked for is among the newest."""

FACTOR: Final = 8
"""Growth of the next window after one without matches, for filters that no index answers. With an index the next window
is as long as time allows."""

SLACK: Final = 2
"""Ratio of the next window to the window that the missing records need at the density of the last one. A window that is
too long costs a look at the filters of granules that are not read."""

MOST_MS: Final = 2_000.0
"""Most milliseconds that a window may take, as estimated by the window before."""

LEAST_GROWTH: Final = 0.5


async def read_windowed(
    executor: Executor, query: Query, read: ReadRange, extent: Extent, most_seconds: float
) -> AsyncIterator[Page]:
    """Yields a page for each window, an empty one too; `extent` is that of the query's whole range.

    Raises what Executor.run raises, and QueryTooExpensive once all windows took `most_seconds` together.
    """
    within, missing, spent_ms = query.open_range, query.limit, 0.0
    length_ns = first_length(within.end_ns - within.start_ns, extent)
    window = window_from(first_edge(within, query.order), length_ns, within, query.order)
    while window is not None:
        answer = await read(executor, query.within(window, missing))
        yield Page(answer.rows, window, answer.cost)
        found = len(answer.rows)
        missing -= found
        spent_ms += answer.cost.elapsed_ms
        if missing <= 0:
            return
        # Where an index found nothing at all in a window, it is asked about the rest at once.
        is_rare = query.matching.prunes and answer.cost.rows_selected == 0
        if is_rare:
            length_ns = within.end_ns - within.start_ns
        else:
            length_ns = length_by_growth(length_ns, _growth(query, found, missing), answer.cost.elapsed_ms)
        window = window_from(far_edge(window, query.order), length_ns, within, query.order)
        if window is not None and spent_ms > most_seconds * 1_000:
            raise QueryTooExpensive(ran_too_long(most_seconds))


def first_length(range_ns: int, extent: Extent) -> int:
    """Returns the length of the first window in nanoseconds: the whole range if that has few granules."""
    if extent.granules <= 2 * FIRST_GRANULES:
        return range_ns
    return min(range_ns, max(FIRST_NS, range_ns * FIRST_GRANULES // extent.granules))


def length_by_growth(length_ns: int, growth: float, elapsed_ms: float) -> int:
    """Returns the length of the next window, after one of `length_ns` that took `elapsed_ms` milliseconds.

    It is `growth` times as long, unless that would take more than MOST_MS.
    """
    return max(FIRST_NS, int(length_ns * max(LEAST_GROWTH, min(growth, MOST_MS / max(elapsed_ms, 1.0)))))


def _growth(query: Query, found: int, missing: int) -> float:
    """Returns the factor by which the next window has to be longer to hold the missing records."""
    if found:
        return SLACK * missing / found
    return math.inf if query.matching.prunes else FACTOR
