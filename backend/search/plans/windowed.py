"""Windows of time, the nearest first, that grow until the page is full; each is read by one of the other plans.

An index on the words of bodies that costs a filter per granule (tokenbf_v1) is then asked about the windows only, and
a filter that no index answers is tried on little before it is tried on much.
"""

from collections.abc import AsyncIterator
from typing import Final

from backend.search.execute import Executor
from backend.search.plans.extent import Extent
from backend.search.plans.one_range import ReadRange
from backend.search.plans.question import PageQuestion
from backend.search.plans.step import Step
from backend.search.windows import FIRST_NS, far_edge, first_edge, window_from
from kit.errors import QueryTooExpensive

FIRST_GRANULES: Final = 16
"""Granules of the first window, where records are spread evenly over the range."""

FACTOR: Final = 8
CHEAP_MS: Final = 500.0
DEAR_MS: Final = 2_000.0


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
        missing -= len(answer.rows)
        spent_ms += answer.elapsed_ms
        if missing <= 0:
            return
        # Where an index found nothing at all in a window, it is asked about the rest at once.
        is_rare = question.matching.prunes and answer.rows_selected == 0
        length_ns = within.end_ns - within.start_ns if is_rare else next_length(length_ns, answer.elapsed_ms)
        window = window_from(far_edge(window, question.order), length_ns, within, question.order)
        if window is not None and spent_ms > most_seconds * 1_000:
            raise QueryTooExpensive(
                f"the search ran longer than {most_seconds:g} s: search a shorter time range, or add a word that few"
                " records have"
            )


def first_length(range_ns: int, extent: Extent) -> int:
    """How long the first window is: the whole range where that is little."""
    if extent.granules <= 2 * FIRST_GRANULES:
        return range_ns
    return min(range_ns, max(FIRST_NS, range_ns * FIRST_GRANULES // extent.granules))


def next_length(length_ns: int, elapsed_ms: float) -> int:
    """How long the next window is, after one of `length_ns` that took so long."""
    if elapsed_ms < CHEAP_MS:
        return length_ns * FACTOR
    return length_ns if elapsed_ms < DEAR_MS else max(FIRST_NS, length_ns // 2)
