"""Tests that costs are attributed to pages, and that the report compares medians with goals."""

from dataclasses import replace

import pytest

from kit.errors import Internal
from loadtest.plans.measure import Measured, plans_report
from loadtest.plans.query_log import Cost, Statement, attributed
from loadtest.plans.questions import KNOWN, SMOKE_WORDS, WORDS
from loadtest.plans.rounds import Read
from loadtest.plans.sides import KNOWN_SIDES, Placement, Way, baseline, product, sides
from loadtest.plans.study import PlansReport
from schema.clickhouse.index_profiles import Profile


def cost(seconds: float) -> Cost:
    return Cost(seconds, 2 * seconds, 1, 1, 1, 1, 1)


def measured(text: float, tokenbf: float) -> Measured:
    """Returns costs in which Logsieve takes `text` and `tokenbf` seconds with these profiles, and other sides take 1 s.

    The last of three rounds takes 60 s on all sides, which must not change a median.
    """
    found: Measured = {}
    for placement in Placement:
        ours = {product(placement, Profile.text): text, product(placement, Profile.tokenbf): tokenbf}
        for side in sides(placement):
            for question in WORDS:
                found[question, side] = [cost(ours.get(side, 1.0)), cost(ours.get(side, 1.0)), cost(60.0)]
    for question in KNOWN:
        for number, side in enumerate(KNOWN_SIDES):
            found[question, side] = [cost(60 / 2**number)]
    return found


def report(costs: Measured, *, smoke: bool = False) -> PlansReport:
    return plans_report(costs, WORDS, records=1_000, rounds=3, smoke=smoke)


def test_goals_are_for_one_node_and_by_medians() -> None:
    reached = measured(0.009, 0.03)
    assert {(each.placement, each.profile): round(each.ratio, 1) for each in report(reached).goals} == {
        (placement.value, profile.value): {Profile.text: 111.1, Profile.tokenbf: 33.3}[profile]
        for placement in Placement
        for profile in Profile
    }
    assert report(reached).passed
    missed = measured(0.011, 0.03)
    assert not report(missed).passed
    assert report(missed, smoke=True).passed


def test_a_page_over_two_shards_is_compared_with_the_same_page_on_one_node() -> None:
    costs = measured(0.009, 0.03)
    for question in WORDS:
        side = product(Placement.shards, Profile.text)
        costs[question, side] = [replace(cost(0.009 * 1.5), cpu_seconds=0.009)]
    found = report(costs)
    shipped = [each for each in found.over_shards if each.goal is not None]
    assert [(each.profile, each.way, each.met) for each in shipped] == [
        ("tokenbf", "auto", True),
        ("text", "auto", False),
    ]
    assert [round(value, 3) for each in shipped for value in (each.time_ratio, each.cpu_ratio)] == [1, 1, 1.5, 0.5]
    assert not found.passed
    assert {each.way for each in found.over_shards if each.goal is None} == {Way.distributed}


def test_the_known_case_is_shown_as_ratios_to_its_first_step() -> None:
    steps = report(measured(0.01, 0.01)).known_case
    assert [each.times_faster for each in steps] == 2 * [1, 2, 4, 8, 16, 32]
    ways = ["plain, no index", "rewrite, no index", "rewrite"]
    assert [each.side for each in steps[:3]] == [f"severity key, {way} (2024)" for way in ways]


def test_the_known_case_says_what_each_step_gained_over_the_one_before() -> None:
    [known, *_] = report(measured(0.01, 0.01)).tables()
    assert [cells[2:4] for cells in known.rows] == 2 * [
        ("1.0", "1.0"), ("2.0", "2.0"), ("4.0", "2.0"), ("8.0", "2.0"), ("16.0", "2.0"), ("32.0", "2.0")
    ]  # fmt: skip


def test_every_placement_has_its_baseline_and_every_frequency_is_smoked() -> None:
    for placement in Placement:
        assert {baseline(placement), *(product(placement, each) for each in Profile)} <= set(sides(placement))
        assert len(set(sides(placement))) == len(sides(placement))
    assert [each.words for each in SMOKE_WORDS] == ["frequent", "rare", "absent", "combined"]


def test_a_page_costs_all_statements_that_started_while_it_was_read() -> None:
    statements = [
        Statement(15, True, 2_000, 5, 100, 1_000, 3, 400),
        Statement(15, False, 9_000, 50, 60, 600, 2, 300),
        Statement(18, True, 2_500, 7, 1, 10, 1, 200),
        Statement(25, True, 500, 1, 2, 3, 4, 5),
        Statement(31, True, 7, 7, 7, 7, 7, 7),
    ]

    def read(started: int, ended: int) -> Read:
        return Read(WORDS[0], baseline(Placement.local), started, ended, 0.0)

    assert attributed(statements, [read(10, 19), read(20, 30)]) == [
        # Both statements of the client run from 18 to 2,015.
        Cost(0.002503, 0.0009, 50, 101, 1_010, 6, 2),
        Cost(0.0005, 0.000005, 1, 2, 3, 4, 1),
    ]
    with pytest.raises(Internal):
        attributed(statements, [read(10, 19), read(20, 21)])


def test_the_tables_have_a_line_for_each_side_and_leave_the_known_case_out_of_them() -> None:
    found = report(measured(0.009, 0.03))
    _, *tables = found.tables()

    for placement, table in zip(Placement, tables, strict=True):
        labels = [side.label for side in sides(placement) if side.layout != "severity key"]
        assert [cells[0] for cells in table.rows] == labels
        [line] = [cells for cells in table.rows if cells[0] == "logsieve text, auto (today)"]
        assert line[1:6] == ("9.0",) * 5
    [row] = [row for row in found.headline() if row.what.startswith("text, local")]
    assert (row.measured, row.goal, row.met) == ("111.1", "at least 100", True)
