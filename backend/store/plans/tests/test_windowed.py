"""Tests of the number of statements for a page, and that windows cover the range once."""

import asyncio
import itertools
from dataclasses import replace

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.plans.densities import Density
from backend.store.plans.extent import Extent
from backend.store.plans.windowed import (
    FIRST_GRANULES,
    MAX_MS,
    first_length,
    length_by_growth,
    read_windowed,
    searches_bodies_first,
)
from backend.store.query import Query
from backend.store.rows import Cost, Rows
from backend.store.scope import Scope, TimeRange
from backend.store.select_records import select_page
from backend.store.tests.fake_log_store import stored_row
from backend.store.windows import FIRST_NS
from schema.columns import Record

DAY = TimeRange(0, 86_400 * 10**9)
EXTENT = Extent(1_000_000, 16_000, 16_000)
LIMIT = 101


def read(every_ns: int | None, ms: float, query: str = "word") -> list[int]:
    """Returns the number of records per window, for one record every `every_ns` and statements of `ms` milliseconds."""

    async def read_range(query: Query) -> Rows[Record]:
        window = query.scope.time_range
        length_ns = window.end_ns - window.start_ns
        windows.append(window)
        found = min(query.limit, length_ns // every_ns if every_ns else 0)
        return Rows([stored_row(0, 0)] * found, Cost(ms, rows_selected=512))

    async def pages() -> list[int]:
        requested = Query(Scope(1, (0,), ("r30",), DAY), compile_filter(parse(query)), Order.desc, LIMIT)
        reading = read_windowed(requested, read_range, first_length(requested, EXTENT))
        return [len(page.records) async for page in reading]

    windows: list[TimeRange] = []
    found = asyncio.run(pages())
    assert all(later.end_ns == earlier.start_ns for earlier, later in itertools.pairwise(windows))
    return found


def test_a_second_window_is_as_long_as_the_density_of_the_first_says() -> None:
    first_ns = (DAY.end_ns - DAY.start_ns) * FIRST_GRANULES // EXTENT.granules
    assert read(first_ns // 10, ms=20) == [10, LIMIT - 10]


def test_the_first_window_is_that_of_the_shard_with_the_most_granules() -> None:
    query = Query(Scope(1, (0,), ("r30",), DAY, (0, 1)), compile_filter(parse("word")), Order.desc, LIMIT)
    every_ns = DAY.end_ns - DAY.start_ns
    assert first_length(query, replace(EXTENT, most_granules=12_000)) == every_ns * FIRST_GRANULES // 12_000
    assert first_length(query, Extent(100_000, 4 * FIRST_GRANULES, 2 * FIRST_GRANULES)) == every_ns


def test_a_word_that_the_first_window_lacks_is_searched_in_all_the_rest() -> None:
    assert read(None, ms=20) == [0, 0]


def test_a_filter_without_an_index_is_tried_on_longer_and_longer_windows() -> None:
    assert len(read(None, ms=20, query="NOT word")) == 3


def test_a_window_grows_no_further_than_time_allows() -> None:
    assert length_by_growth(FIRST_NS, 100, MAX_MS / 4) == 4 * FIRST_NS
    assert length_by_growth(64 * FIRST_NS, 100, MAX_MS * 10) == 32 * FIRST_NS
    assert length_by_growth(FIRST_NS, 100, MAX_MS * 10) == FIRST_NS


def test_only_the_first_window_searches_parts_of_words_in_the_bodies() -> None:
    """A later window needs the dictionary, which finds a rare part of a word without reading bodies."""
    settings: list[int | None] = []

    async def read_range(window: Query) -> Rows[Record]:
        settings.append(select_page(window).settings.get("use_text_index_like_evaluation_by_dictionary_scan"))
        return Rows([], Cost(1.0, rows_selected=512))

    async def pages(*, in_bodies_first: bool) -> list[int | None]:
        settings.clear()
        requested = Query(Scope(1, (0,), ("r30",), DAY), compile_filter(parse("*art*")), Order.desc, LIMIT)
        first_ns = first_length(requested, EXTENT)
        reading = read_windowed(requested, read_range, first_ns, in_bodies_first=in_bodies_first)
        assert len([page async for page in reading]) == len(settings) > 1
        return settings[:]

    first, *later = asyncio.run(pages(in_bodies_first=True))
    assert (first, set(later)) == (0, {None})
    assert set(asyncio.run(pages(in_bodies_first=False))) == {None}


def test_a_window_that_is_long_or_the_whole_range_needs_the_dictionary() -> None:
    requested = Query(Scope(1, (0,), ("r30",), DAY), compile_filter(parse("*art*")), Order.desc, LIMIT)
    few = Extent(10_000, FIRST_GRANULES, FIRST_GRANULES)
    rare = first_length(requested, EXTENT, Density(1, DAY.end_ns, 1.0))

    assert searches_bodies_first(requested, EXTENT, first_length(requested, EXTENT))
    assert not searches_bodies_first(requested, EXTENT, rare)
    assert not searches_bodies_first(requested, few, first_length(requested, few))
