"""Windows of time that grow while they are cheap, so that no single statement reads a tenant's whole history.

The first window is a minute. One that made ClickHouse read fewer than 100,000 rows is followed by one four times as
long, one that read more than a million by one a quarter as long: a year without a match takes eleven statements, and a
crowded hour is still read in statements that end within the time one may take.
"""

from typing import Final

from backend.store.order import Order
from backend.store.scope import TimeRange

FIRST_NS: Final = 60 * 10**9
SHORTEST_NS: Final = FIRST_NS // 256
"""Shortest window, in nanoseconds, that a statement which hits a limit is tried over."""
FACTOR: Final = 4
CHEAP_ROWS: Final = 100_000
DEAR_ROWS: Final = 1_000_000


def first_edge(within: TimeRange, order: Order) -> int:
    """Returns the end of the range at which reading in that order begins."""
    return within.end_ns if order is Order.desc else within.start_ns


def window_from(edge_ns: int, length_ns: int, within: TimeRange, order: Order) -> TimeRange | None:
    """Returns the window that begins at `edge_ns` and goes on in the order; None where the range ends there."""
    if order is Order.desc:
        return TimeRange(max(within.start_ns, edge_ns - length_ns), edge_ns) if edge_ns > within.start_ns else None
    return TimeRange(edge_ns, min(within.end_ns, edge_ns + length_ns)) if edge_ns < within.end_ns else None


def far_edge(window: TimeRange, order: Order) -> int:
    """Returns the end of the window at which the next one begins."""
    return window.start_ns if order is Order.desc else window.end_ns


def length_by_rows_read(length_ns: int, rows_read: int) -> int:
    """Returns the length of the next window, after one of `length_ns` that made ClickHouse read `rows_read` rows."""
    if rows_read < CHEAP_ROWS:
        return length_ns * FACTOR
    return shorter(length_ns, min(length_ns, FIRST_NS)) if rows_read > DEAR_ROWS else length_ns


def shorter(length_ns: int, shortest_ns: int) -> int:
    """Returns a quarter of the length, but no less than `shortest_ns`."""
    return max(shortest_ns, length_ns // FACTOR)
