"""Tests that windows cover a range once and in order, whatever they cost."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from backend.store.order import Order
from backend.store.scope import TimeRange
from backend.store.windows import (
    CHEAP_ROWS,
    DEAR_ROWS,
    FIRST_NS,
    far_edge,
    first_edge,
    length_by_rows_read,
    window_from,
)

YEAR_NS = 365 * 86_400 * 10**9


def windows(within: TimeRange, order: Order, costs: list[int]) -> list[TimeRange]:
    found: list[TimeRange] = []
    edge, length = first_edge(within, order), FIRST_NS
    while (window := window_from(edge, length, within, order)) is not None:
        found.append(window)
        edge, length = far_edge(window, order), length_by_rows_read(length, costs[len(found) % len(costs)])
    return found


@given(
    st.integers(0, YEAR_NS),
    st.integers(1, FIRST_NS * 1000),
    st.sampled_from(Order),
    st.lists(st.integers(0, 2 * DEAR_ROWS), min_size=1),
)
def test_every_moment_is_in_one_window(start: int, length: int, order: Order, costs: list[int]) -> None:
    within = TimeRange(start, start + length)

    found = windows(within, order, costs)

    in_time = found if order is Order.asc else found[::-1]
    assert (in_time[0].start_ns, in_time[-1].end_ns) == (within.start_ns, within.end_ns)
    assert all(earlier.end_ns == later.start_ns for earlier, later in itertools.pairwise(in_time))


def test_a_year_of_nothing_takes_eleven_statements() -> None:
    assert len(windows(TimeRange(0, YEAR_NS), Order.desc, [0])) == 11


def test_what_is_dear_is_read_in_shorter_windows() -> None:
    assert length_by_rows_read(64 * FIRST_NS, CHEAP_ROWS - 1) == 256 * FIRST_NS
    assert length_by_rows_read(64 * FIRST_NS, CHEAP_ROWS) == 64 * FIRST_NS
    assert length_by_rows_read(64 * FIRST_NS, DEAR_ROWS + 1) == 16 * FIRST_NS
    assert length_by_rows_read(FIRST_NS, DEAR_ROWS + 1) == FIRST_NS
