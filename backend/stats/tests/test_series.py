"""Tests of series: where their values are made, and groups that arrive between the two statements."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from backend.answers.threads import AnswerThreads
from backend.language.parse import parse_stats
from backend.language.stats_nodes import StatsQuery
from backend.stats import series
from backend.stats.answer import LATE, cells_of
from backend.stats.run import Run
from backend.stats.schemas import Cell
from backend.stats.series import read_series
from backend.stats.statements import ALL, OTHER, Group, Point, ScopedStats
from backend.store.compile.filter import compile_filter
from backend.store.compile.stats import compile_stats
from backend.store.scope import Scope, TimeRange
from kit.clock import SystemClock

SECOND = 10**9
QUERY = parse_stats("| stats count() by time(1s)")
RANGE = TimeRange(1_800_000_000 * SECOND, 1_800_000_003 * SECOND)


class Answered:
    """Answers the statement of the series with one record in the second of three buckets."""

    async def rows(self, _statement: object) -> list[Point]:
        return [Point(ALL.name, 1_800_000_001, [1])]


def scoped(query: StatsQuery) -> ScopedStats:
    matching, stats = compile_filter(query.matching), query.stats
    return ScopedStats(Scope(1, (0,), ("r30",), RANGE), matching, stats, compile_stats(stats), {})


def test_values_are_made_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()

    def noted(*arguments: Any) -> Sequence[Cell]:
        threads.add(threading.get_ident())
        return cells_of(*arguments)

    monkeypatch.setattr(series, "cells_of", noted)
    found = asyncio.run(read_series(cast(Run, Answered()), scoped(QUERY), SECOND, AnswerThreads(SystemClock())))
    assert [each.values for each in found.series] == [[[0, 1, 0]]]
    assert threads
    assert threading.get_ident() not in threads


class Arriving:
    """Answers the statement of the groups with one group, and that of the series with a further group's records."""

    def __init__(self, later: Sequence[Point]) -> None:
        self._answers: list[Sequence[object]] = [
            [Group("first", 1, ("=cart",), ())],
            [Point("first", 1_800_000_000, [2]), *later],
        ]

    async def rows(self, _statement: object) -> Sequence[object]:
        return self._answers.pop(0)


def test_groups_that_arrive_after_the_groups_were_chosen_are_in_other() -> None:
    query = parse_stats("| stats count() by service, time(1s)")
    arriving = Arriving([Point(OTHER, 1_800_000_000, [3]), Point(OTHER, 1_800_000_002, [4])])
    found = asyncio.run(read_series(cast(Run, arriving), scoped(query), SECOND, AnswerThreads(SystemClock())))
    assert [(each.kind, each.group, each.values) for each in found.series] == [
        ("group", ["cart"], [[2, 0, 0]]),
        ("other", [], [[3, 0, 4]]),
    ]
    assert (found.groups.found, found.groups.shown, found.groups.complete) == (2, 1, False)
    assert found.left_out == LATE


def test_without_late_groups_all_groups_are_shown() -> None:
    query = parse_stats("| stats count() by service, time(1s)")
    found = asyncio.run(read_series(cast(Run, Arriving([])), scoped(query), SECOND, AnswerThreads(SystemClock())))
    assert [each.kind for each in found.series] == ["group"]
    assert (found.groups.found, found.groups.complete, found.left_out) == (1, True, None)
