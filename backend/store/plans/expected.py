"""Reads first the part of a range that is expected to fill the page, and the rest only if it does not.

A statement over less time reads fewer of the table's parts, and each part that it reads costs about a millisecond: the
newest 100 records of nine parts took 20 ms of CPU from all of them, and 12 from the last minutes of three.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from backend.store.page import Page
from backend.store.plans.densities import SLACK, Density
from backend.store.query import Query
from backend.store.rows import Rows
from backend.store.windows import FIRST_NS, far_edge, first_edge, window_from
from schema.columns import Record

LARGEST_SHARE: Final = 0.5
"""Largest share of the range that is worth reading before the rest."""


async def read_expected(
    query: Query, read: Callable[[Query], Awaitable[Rows[Record]]], first_ns: int
) -> AsyncIterator[Page]:
    """Yields a page for the first `first_ns` nanoseconds, and another for the rest if the first one is not full.

    Raises what `read` raises.
    """
    within, missing = query.open_range, query.limit
    edge_ns = first_edge(within, query.order)
    for length_ns in (first_ns, within.end_ns - within.start_ns):
        window = window_from(edge_ns, length_ns, within, query.order)
        if window is None:
            return
        answer = await read(query.within(window, missing))
        yield Page(answer.rows, window, answer.cost)
        missing -= len(answer.rows)
        if missing <= 0:
            return
        edge_ns = far_edge(window, query.order)


def expected_length(query: Query, density: Density | None) -> int:
    """Returns the nanoseconds that are expected to fill the page, at least FIRST_NS.

    `density` is the density of the filter's matches in recent searches. Returns the whole range if `density` is None,
    or if the expected nanoseconds are more than LARGEST_SHARE of the range.
    """
    range_ns = query.open_range.end_ns - query.open_range.start_ns
    if density is None or (expected_ns := density.span_of(SLACK * query.limit)) > range_ns * LARGEST_SHARE:
        return range_ns
    return min(range_ns, max(FIRST_NS, int(expected_ns)))
