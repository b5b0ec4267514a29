"""Layouts have the parts they say, and ratios compare with the node beside."""

import pytest

from loadtest.parts.layout import PARTS_PER_LANE, Filled, Layout, insert, search
from loadtest.parts.measure import Planning
from loadtest.parts.report import as_plain
from loadtest.parts.run import Level, ratio


def level(layout: Layout, pairs: int, cpu: float) -> Level:
    planning, beside = (Planning(1, 60, each, each, each, 0.0, 0.0, 0.0) for each in (cpu, 0.010))
    return Level(layout, pairs, pairs, (planning,), (beside,), 1.0, 2**20)


def test_lanes_keep_their_parts_and_one_table_does_not() -> None:
    assert Filled(Layout.lanes, 30 * PARTS_PER_LANE).tables == 30
    assert Filled(Layout.one_table, 30 * PARTS_PER_LANE).tables == 1


@pytest.mark.parametrize("layout", list(Layout))
def test_a_search_asks_for_one_partition_key_and_two_days(layout: Layout) -> None:
    filled = Filled(layout, 2 * PARTS_PER_LANE)
    sql = search(filled, 7)

    assert filled.table(7 % filled.tables) in sql
    assert "toIntervalDay(2)" in sql
    assert ("cohort = 'c" in sql) == (layout is Layout.cohorts)
    assert "numbers(0, 10)" in insert(filled, 0, 0, 10)


def test_the_goal_is_for_lanes() -> None:
    levels = [
        level(Layout.lanes, 1_000, 0.020),
        level(Layout.lanes, 160_000, 0.011),
        level(Layout.one_table, 1_000, 0.010),
        level(Layout.one_table, 160_000, 0.500),
    ]

    assert ratio(levels, Layout.one_table, 1) == pytest.approx(50)
    assert as_plain(levels)["passed"]
    assert not as_plain([*levels[:1], level(Layout.lanes, 160_000, 0.013)])["passed"]
    assert ratio(levels[:1], Layout.lanes, 1) is None
