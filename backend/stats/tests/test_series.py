"""Tests that the values of a large answer are made on a thread, so that other requests do not wait for them."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from backend.language.parse import parse_stats
from backend.stats import series
from backend.stats.answer import cells_of
from backend.stats.run import Run
from backend.stats.schemas import Cell
from backend.stats.series import read_series
from backend.stats.statements import ALL, Point, ScopedStats
from backend.store.compile.filter import compile_filter
from backend.store.compile.stats import compile_stats
from backend.store.scope import Scope, TimeRange

SECOND = 10**9
QUERY = parse_stats("| stats count() by time(1s)")
RANGE = TimeRange(1_800_000_000 * SECOND, 1_800_000_003 * SECOND)


class Answered:
    """Answers the statement of the series with one record in the second of three buckets."""

    async def rows(self, _statement: object) -> list[Point]:
        return [Point(ALL.name, 1_800_000_001, [1])]


def test_values_are_made_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()

    def noted(*arguments: Any) -> Sequence[Cell]:
        threads.add(threading.get_ident())
        return cells_of(*arguments)

    monkeypatch.setattr(series, "cells_of", noted)
    matching, stats = compile_filter(QUERY.matching), QUERY.stats
    requested = ScopedStats(Scope(1, (0,), ("r30",), RANGE), matching, stats, compile_stats(stats), {})
    found = asyncio.run(read_series(cast(Run, Answered()), requested, SECOND))
    assert [each.values for each in found.series] == [[[0, 1, 0]]]
    assert threads
    assert threading.get_ident() not in threads
