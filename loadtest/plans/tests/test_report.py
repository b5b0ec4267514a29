"""Tests that costs are attributed to pages, and that the report compares medians with goals."""

import pytest

from backend.store.plans.plan import Plan
from kit.errors import Internal
from loadtest.pages.questions import KNOWN, SMOKE_WORDS, WORDS
from loadtest.pages.rounds import Read
from loadtest.pages.sides import KNOWN_SIDES, Engine, Placement, Side, ours, sides
from loadtest.plans.measure import Measured, Statement, attributed, medians
from loadtest.plans.study import Cost, PlansReport
from loadtest.report.report import Row
from schema.clickhouse.index_profiles import Profile


def page_cost(*values: float) -> Cost:
    return Cost(**dict(zip(Cost.model_fields, values, strict=True)))


def cost(seconds: float) -> Cost:
    return page_cost(seconds, 2 * seconds, 1, 1, 1, 1, 1)


def shipped(placement: Placement, profile: Profile) -> Side:
    return Side(placement, ours(profile), Plan.auto, Engine.today)


def measured(text: float, tokenbf: float) -> Measured:
    """Returns costs in which Logsieve takes `text` and `tokenbf` seconds with these profiles, and other sides take 1 s.

    The last of three rounds takes 60 s on all sides, which must not change a median.
    """
    found: Measured = {}
    for placement in Placement:
        own = {shipped(placement, Profile.text): text, shipped(placement, Profile.tokenbf): tokenbf}
        for side in sides(placement):
            for question in WORDS:
                found[question, side] = [cost(own.get(side, 1.0)), cost(own.get(side, 1.0)), cost(60.0)]
    for question in KNOWN:
        for number, side in enumerate(KNOWN_SIDES):
            found[question, side] = [cost(60 / 2**number)]
    return found


def report(costs: Measured, *, smoke: bool = False) -> PlansReport:
    return PlansReport(smoke=smoke, records=1_000, rounds=3, pages=medians(costs, WORDS))


def rows_of(found: PlansReport, beginning: str) -> list[Row]:
    return [row for row in found.headline() if row.what.startswith(beginning)]


def test_goals_are_for_one_node_and_by_medians() -> None:
    reached = report(measured(0.009, 0.03))
    assert {(profile, place): [row.measured for row in rows_of(reached, f"{profile}, {place}: times as fast")]
        for profile in Profile for place in Placement
    } == {(profile, place): [ratio] for profile, ratio in ((Profile.tokenbf, "33.3"), (Profile.text, "111.1"))
        for place in Placement
    }  # fmt: skip
    assert [(row.goal, row.met) for row in rows_of(reached, "text, local")] == [("at least 100", True)]
    assert [(row.goal, row.met) for row in rows_of(reached, "text, two shards: ")] == [("", None)]
    assert reached.passed
    missed = measured(0.011, 0.03)
    assert not report(missed).passed
    assert report(missed, smoke=True).passed


def test_the_chosen_plan_is_compared_with_the_best_one_of_each_search() -> None:
    costs = measured(0.009, 0.03)
    faster = Side(Placement.local, ours(Profile.text), Plan.windowed, Engine.today)
    costs[WORDS[1], faster] = [cost(0.0045)]

    found = report(costs)

    [row] = rows_of(found, "auto over the best plan, text, local: ")
    assert (row.measured, row.goal, row.met) == ("2.00", "at most 1.15", False)
    [row] = rows_of(found, "auto over the best plan, text, two shards: ")
    assert (row.measured, row.met) == ("0.01", True)


def test_a_page_may_take_less_processor_time_than_the_clock_shows() -> None:
    costs = measured(0.009, 0.03)
    for side in (shipped(Placement.local, Profile.text), shipped(Placement.shards, Profile.text)):
        costs[WORDS[0], side] = [cost(0.009).model_copy(update={"cpu_seconds": 0.0})]

    [row] = rows_of(report(costs), "text, two shards, auto: ")

    assert "(processor time: 1.00)" in row.what


def test_a_page_over_two_shards_is_compared_with_the_same_page_on_one_node() -> None:
    costs = measured(0.009, 0.03)
    for question in WORDS:
        side = shipped(Placement.shards, Profile.text)
        costs[question, side] = [cost(0.009 * 1.5).model_copy(update={"cpu_seconds": 0.009})]
    found = report(costs)
    assert not found.passed
    for profile, ratio, cpu in (("tokenbf", "1.00", "1.00"), ("text", "1.50", "0.50")):
        [row] = rows_of(found, f"{profile}, two shards, auto: ")
        assert (row.measured, row.goal, row.met) == (ratio, "at most 1.2", ratio == "1.00")
        assert f"(processor time: {cpu})" in row.what
        [over_distributed] = rows_of(found, f"{profile}, two shards, auto, Distributed: ")
        assert over_distributed.met is None


def test_the_known_case_compares_each_step_with_the_first_and_with_the_one_before() -> None:
    [known, *_] = report(measured(0.01, 0.01)).tables()
    ways = ["plain, no index", "rewrite, no index", "rewrite"]
    assert [cells[0] for cells in known.rows[:3]] == [f"`severity:>=info`: severity key, {way} (2024)" for way in ways]
    assert [cells[2:4] for cells in known.rows] == 2 * [
        ("1.0", "1.0"), ("2.0", "2.0"), ("4.0", "2.0"), ("8.0", "2.0"), ("16.0", "2.0"), ("32.0", "2.0")
    ]  # fmt: skip


def test_no_side_is_read_twice_and_every_frequency_is_smoked() -> None:
    for placement in Placement:
        assert len(set(sides(placement))) == len(sides(placement))
    assert [each.words for each in SMOKE_WORDS] == ["frequent", "rare", "absent", "combined"]


def test_a_page_costs_all_statements_that_started_while_it_was_read() -> None:
    statements = [
        Statement(15, 1, 2_000, 5, 100, 1_000, 3, 400),
        Statement(15, 0, 9_000, 50, 60, 600, 2, 300),
        Statement(18, 1, 2_500, 7, 1, 10, 1, 200),
        Statement(25, 1, 500, 1, 2, 3, 4, 5),
        Statement(31, 1, 7, 7, 7, 7, 7, 7),
    ]

    def read(started: int, ended: int) -> Read:
        return Read(WORDS[0], KNOWN_SIDES[0], started, ended, 0.0)

    assert attributed(statements, [read(10, 19), read(20, 30)]) == [
        # Both statements of the client run from 18 to 2,015.
        page_cost(0.002503, 0.0009, 50, 101, 1_010, 6, 2),
        page_cost(0.0005, 0.000005, 1, 2, 3, 4, 1),
    ]
    with pytest.raises(Internal):
        attributed(statements, [read(10, 19), read(20, 21)])
