"""Plan `windowed`: windows of time that grow until the page is full, the first at the beginning of the order.

Each window is read by one of the other plans. A token filter per granule (tokenbf_v1) is then checked in these windows
only. A filter that no index answers is tested on few rows first, because these may have enough matches.
"""

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from backend.store.page import Page
from backend.store.plans.densities import SLACK, Density
from backend.store.plans.extent import Extent
from backend.store.query import Query
from backend.store.rows import Rows
from backend.store.windows import FIRST_NS, far_edge, first_edge, window_from
from schema.columns import Record

FIRST_GRANULES: Final = 512
"""Number of granules of one shard in the first window, if records are spread evenly over the range.

Checking a token filter of 8 KiB takes 1 microsecond from the server's cache and 3 otherwise; a further statement takes
8 ms. The values 2,048 and 4,096 were slower in the geometric mean, because most searches find enough among the newest
records.
"""

FACTOR: Final = 8
"""Growth of the next window after one without matches, for filters that no index answers.

With an index, the next window is as long as MAX_MS allows.
"""

MAX_MS: Final = 2_000.0
"""Longest time, in milliseconds, that a window may take, estimated from the window before."""

MIN_GROWTH: Final = 0.5
"""Smallest growth of the next window, after one that took longer than MAX_MS."""


async def read_windowed(
    query: Query,
    read: Callable[[Query], Awaitable[Rows[Record]]],
    first_ns: int,
    *,
    in_bodies_first: bool = False,
) -> AsyncIterator[Page]:
    """Yields a page for each window, also for an empty one. The first window has `first_ns` nanoseconds.

    With `in_bodies_first`, the first window searches parts of words in the bodies. The dictionary of an index on
    words covers all records of a part, so it takes longer than the few bodies of a short window, and pays off only if
    that window does not fill the page.

    Raises what `read` raises.
    """
    within, missing = query.open_range, query.limit
    length_ns = first_ns
    window = window_from(first_edge(within, query.order), length_ns, within, query.order)
    tests_bodies = in_bodies_first
    while window is not None:
        answer = await read(query.within(window, missing, tests_bodies=tests_bodies))
        tests_bodies = False
        yield Page(answer.rows, window, answer.cost)
        found = len(answer.rows)
        missing -= found
        if missing <= 0:
            return
        # If the index left no rows at all in a window, the next window is the whole rest of the range.
        is_rare = query.matching.clause.prunes and answer.cost.rows_selected == 0
        if is_rare:
            length_ns = within.end_ns - within.start_ns
        else:
            length_ns = length_by_growth(length_ns, _growth(query, found, missing), answer.cost.elapsed_ms)
        window = window_from(far_edge(window, query.order), length_ns, within, query.order)


def first_length(query: Query, extent: Extent, density: Density | None = None) -> int:
    """Returns the length of the first window in nanoseconds. `extent` is the extent of the query's range, or of more.

    All shards read the same window at the same time, so its length depends on the shard with the most granules.
    `density` is the density of the filter's matches in recent searches, if it is known. A filter with few matches gets
    a first window that is expected to fill the page, unless that would take more than MAX_MS.
    """
    range_ns = query.open_range.end_ns - query.open_range.start_ns
    if extent.most_granules <= 2 * FIRST_GRANULES:
        return range_ns
    length_ns = max(FIRST_NS, range_ns * FIRST_GRANULES // extent.most_granules)
    if density is not None:
        expected_ns = min(density.span_of(SLACK * query.limit), density.span_in(MAX_MS))
        length_ns = max(length_ns, int(min(expected_ns, range_ns)))
    return min(range_ns, length_ns)


def searches_bodies_first(query: Query, extent: Extent, first_ns: int) -> bool:
    """Returns whether a first window of this length searches parts of words in the bodies. It does if it is short: no
    longer than the one for a filter of unknown density, and not the whole range."""
    range_ns = query.open_range.end_ns - query.open_range.start_ns
    return first_ns < range_ns and first_ns <= first_length(query, extent)


def length_by_growth(length_ns: int, growth: float, elapsed_ms: float) -> int:
    """Returns the length of the next window in nanoseconds, after one of `length_ns` that took `elapsed_ms`.

    It is `growth` times as long, unless that is expected to take more than MAX_MS.
    """
    return max(FIRST_NS, int(length_ns * max(MIN_GROWTH, min(growth, MAX_MS / max(elapsed_ms, 1.0)))))


def _growth(query: Query, found: int, missing: int) -> float:
    """Returns the factor by which the next window has to be longer to hold the missing records."""
    if found:
        return SLACK * missing / found
    return math.inf if query.matching.clause.prunes else FACTOR
