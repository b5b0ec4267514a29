"""Windows of time, so that no statement reads a tenant's whole history.

Windows of an export or of a record's context grow while they are cheap. The first window is a minute. After one for
which ClickHouse read fewer than 100,000 rows, the next is four times as long; after more than a million rows, a quarter
as long. A year without a match takes eleven statements, and an hour with many records is still read by statements
within their time limit. Windows of a page have other lengths (`plans/windowed.py`, `plans/expected.py`).
"""

from typing import Final

from backend.store.order import Order
from backend.store.scope import TimeRange

FIRST_NS: Final = 60 * 10**9
SHORTEST_NS: Final = FIRST_NS // 256
"""Length of the shortest window, in nanoseconds, to which a window shrinks after a statement hit a limit."""
FACTOR: Final = 4
CHEAP_ROWS: Final = 100_000
DEAR_ROWS: Final = 1_000_000


def first_edge(within: TimeRange, order: Order) -> int:
    """Returns the end of the range from which reading in that order begins, in nanoseconds."""
    return within.end_ns if order is Order.desc else within.start_ns


def counted_range(within: TimeRange, order: Order, now_ns: int) -> TimeRange:
    """Returns the part of the range in which a page measures the lengths of its windows. If now is inside the range and
    reading begins at the end of the range, this is the part before now. Otherwise it is the whole range.

    A search without an end includes the time that clocks of senders may be ahead, an hour by default. It usually has no
    records, so a length that follows from the number of records must not include it.
    """
    if order is Order.asc or not within.start_ns < now_ns < within.end_ns:
        return within
    return TimeRange(within.start_ns, now_ns)


def with_rest(window: TimeRange, counted: TimeRange, whole: TimeRange) -> TimeRange:
    """Returns the time that is read for a window of `counted`, the counted range of `whole`. For the window that ends
    where `counted` ends, it extends to the end of the whole range."""
    return TimeRange(window.start_ns, whole.end_ns) if window.end_ns == counted.end_ns else window


def length_read(edge_ns: int, read_to_ns: int, order: Order) -> int:
    """Returns the nanoseconds from the edge where reading began to the point that it reached; 0 if it did not get past
    the edge."""
    return max(0, edge_ns - read_to_ns if order is Order.desc else read_to_ns - edge_ns)


def window_from(edge_ns: int, length_ns: int, within: TimeRange, order: Order) -> TimeRange | None:
    """Returns the window that begins at `edge_ns` and extends in the order; None if the range ends there."""
    if order is Order.desc:
        return TimeRange(max(within.start_ns, edge_ns - length_ns), edge_ns) if edge_ns > within.start_ns else None
    return TimeRange(edge_ns, min(within.end_ns, edge_ns + length_ns)) if edge_ns < within.end_ns else None


def far_edge(window: TimeRange, order: Order) -> int:
    """Returns the end of the window from which the next window begins, in nanoseconds."""
    return window.start_ns if order is Order.desc else window.end_ns


def length_by_rows_read(length_ns: int, rows_read: int) -> int:
    """Returns the length of the next window, after one of `length_ns` for which ClickHouse read `rows_read` rows."""
    if rows_read < CHEAP_ROWS:
        return length_ns * FACTOR
    return shorter(length_ns, min(length_ns, FIRST_NS)) if rows_read > DEAR_ROWS else length_ns


def shorter(length_ns: int, shortest_ns: int) -> int:
    """Returns a quarter of the length, but no less than `shortest_ns`."""
    return max(shortest_ns, length_ns // FACTOR)
