"""Tests of the tables and searches of each layout, and of the growth of planning over a node with the fewest parts."""

import pytest

from loadtest.parts.layout import PARTS_PER_LANE, Filled, Layout, create_table, insert, search
from loadtest.parts.measure import CONCURRENT
from loadtest.parts.study import Level, PartsReport, Planning


def planning(concurrent: int, cpu: float) -> Planning:
    return Planning(
        concurrent=concurrent, p50=cpu, p99=cpu, planning_cpu=cpu, shared_parts_lock=0.0, parts_lock=0.0,
        context_lock=0.0,
    )  # fmt: skip


def level(layout: Layout, pairs: int, *cpu: float) -> Level:
    """Returns a level. `cpu` has the planning CPU in seconds for the first values of CONCURRENT.

    The node beside it takes 10 ms for each.
    """
    return Level(
        layout=layout.value,
        pairs=pairs,
        active_parts=pairs,
        planning=tuple(planning(*each) for each in zip(CONCURRENT, cpu, strict=False)),
        beside=tuple(planning(concurrent, 0.010) for concurrent, _ in zip(CONCURRENT, cpu, strict=False)),
        start_seconds=1.0,
        resident_bytes=2**20,
    )


def report(*levels: Level, smoke: bool = False) -> PartsReport:
    return PartsReport(smoke=smoke, levels=levels)


def test_lanes_keep_their_parts_and_one_table_does_not() -> None:
    assert Filled(Layout.lanes, 30 * PARTS_PER_LANE).tables == 30
    assert Filled(Layout.installed, 30 * PARTS_PER_LANE).tables == 30
    assert Filled(Layout.one_table, 30 * PARTS_PER_LANE).tables == 1


def test_only_tables_as_installed_have_skip_indexes() -> None:
    installed = create_table(Filled(Layout.installed, PARTS_PER_LANE), 0)
    assert "INDEX `searched_words`" in installed
    assert "merge_selector_base" in installed
    assert "INDEX" not in create_table(Filled(Layout.lanes, PARTS_PER_LANE), 0)


@pytest.mark.parametrize("layout", list(Layout))
def test_a_search_names_one_partition_key_and_two_days(layout: Layout) -> None:
    filled = Filled(layout, 2 * PARTS_PER_LANE)
    sql = search(filled, 7)

    assert filled.table(7 % filled.tables) in sql
    assert "toIntervalDay(2)" in sql
    assert ("cohort = 'c" in sql) == (layout is Layout.cohorts)
    assert f"numbers(0, {10 * filled.records})" in insert(filled, 0, 0, 10)
    assert ("hasToken" in sql) == (layout is Layout.installed)


def test_the_goal_is_for_lanes() -> None:
    levels = [
        level(Layout.lanes, 1_000, 0.020),
        level(Layout.lanes, 160_000, 0.011),
        level(Layout.one_table, 1_000, 0.010),
        level(Layout.one_table, 160_000, 0.500),
    ]
    slow = level(Layout.lanes, 160_000, 0.013)

    assert [(row.measured, row.met) for row in report(*levels).headline()] == [("1.10", True), ("50.00", None)]
    assert report(*levels).passed
    assert not report(levels[0], slow).passed
    assert report(levels[0], slow, smoke=True).passed
    assert report(levels[0]).headline() == ()


def test_results_of_installed_tables_have_a_file_of_their_own() -> None:
    installed = level(Layout.installed, 160_000, 0.013)

    assert report(installed).variant == "installed"
    assert report(installed.model_copy(update={"nodes": 4})).variant == "installed-4-nodes"
    assert report(installed, level(Layout.lanes, 160_000, 0.011)).variant == ""
    assert report(installed).pictures() == ()
