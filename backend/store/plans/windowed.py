"""Windows of time, the nearest first, that grow until the page is full; each is read by one of the other plans.

An index on the words of bodies that costs a filter per granule (tokenbf_v1) is then asked about the windows only, and
a filter that no index answers is tried on little before it is tried on much.
"""

import math
from collections.abc import AsyncIterator
from typing import Final

from backend.store.execute import Executor
from backend.store.limits import ran_too_long
from backend.store.plans.extent import Extent
from backend.store.plans.one_range import ReadRange
from backend.store.plans.question import PageQuestion
from backend.store.plans.step import Step
from backend.store.windows import FIRST_NS, far_edge, first_edge, window_from
from kit.errors import QueryTooExpensive

FIRST_GRANULES: Final = 512
"""Granules of the first window, where records are spread evenly over the range. Asking a token filter of 8 KiB costs
1 microsecond from the server's cache and 3 otherwise, a further statement 8 ms; 2,048 and 4,096 were slower in the
geometric mean: most of what is asked for is among the newest."""

FACTOR: Final = 8
"""How much longer a window is than one without a record of the page, where no index answers the filter. Where one does,
it is as long as time allows."""

SLACK: Final = 2
"""How much longer a window is than the records still missing need, as densely as they were in the one before: one that
is too long costs a look at the filters of granules that are not read."""

MOST_MS: Final = 2_000.0
"""What a window may take, by what the one before took."""

LEAST_GROWTH: Final = 0.5


async def read_windowed(
    executor: Executor, question: PageQuestion, read: ReadRange, extent: Extent, most_seconds: float
) -> AsyncIterator[Step]:
    """A step for each window, also for one without rows; `extent` is of the question's whole range.

    Raises what Executor.run raises, and QueryTooExpensive once all windows took `most_seconds` together.
    """
    within, missing, spent_ms = question.open_range, question.limit, 0.0
    length_ns = first_length(within.end_ns - within.start_ns, extent)
    window = window_from(first_edge(within, question.order), length_ns, within, question.order)
    while window is not None:
        answer = await read(executor, question.within(window, missing))
        yield Step(answer, window)
        found = len(answer.rows)
        missing -= found
        spent_ms += answer.elapsed_ms
        if missing <= 0:
            return
        # Where an index found nothing at all in a window, it is asked about the rest at once.
        is_rare = question.matching.prunes and answer.rows_selected == 0
        if is_rare:
            length_ns = within.end_ns - within.start_ns
        else:
            length_ns = next_length(length_ns, _growth(question, found, missing), answer.elapsed_ms)
        window = window_from(far_edge(window, question.order), length_ns, within, question.order)
        if window is not None and spent_ms > most_seconds * 1_000:
            raise QueryTooExpensive(ran_too_long(most_seconds))


def first_length(range_ns: int, extent: Extent) -> int:
    """How long the first window is: the whole range where that is little."""
    if extent.granules <= 2 * FIRST_GRANULES:
        return range_ns
    return min(range_ns, max(FIRST_NS, range_ns * FIRST_GRANULES // extent.granules))


def next_length(length_ns: int, growth: float, elapsed_ms: float) -> int:
    """How long the next window is, after one of `length_ns` that took so long: times `growth`, if that fits in time."""
    return max(FIRST_NS, int(length_ns * max(LEAST_GROWTH, min(growth, MOST_MS / max(elapsed_ms, 1.0)))))


def _growth(question: PageQuestion, found: int, missing: int) -> float:
    """How much longer a window the missing records ask for."""
    if found:
        return SLACK * missing / found
    return math.inf if question.matching.prunes else FACTOR
