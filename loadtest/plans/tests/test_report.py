import pytest

from kit.errors import Internal
from loadtest.plans.known_case import explained
from loadtest.plans.measure import Measured, plans_report
from loadtest.plans.page import page_lines
from loadtest.plans.query_log import Cost, Statement, attributed
from loadtest.plans.questions import KNOWN, SMOKE_WORDS, WORDS
from loadtest.plans.report import KnownStep, PlansReport
from loadtest.plans.rounds import Read
from loadtest.plans.sides import KNOWN_SIDES, Placement, baseline, product, sides
from schema.clickhouse.index_profiles import Profile


def cost(seconds: float) -> Cost:
    return Cost(seconds, 1, 1, 1, 1, 1)


def measured(text: float, tokenbf: float) -> Measured:
    """The exporter's table takes 1 s, we what is given."""
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
    shards_only = {
        key: [cost(1.0)] if key[1].placement is Placement.shards else costs for key, costs in reached.items()
    }
    assert report(shards_only).passed


def test_the_known_case_is_told_as_ratios_to_its_first_step() -> None:
    steps = report(measured(0.01, 0.01)).known_case
    assert [each.times_faster for each in steps] == 2 * [1, 2, 4, 8, 16, 32]
    ways = ["plain, no index", "rewrite, no index", "rewrite"]
    assert [each.side for each in steps[:3]] == [f"severity key, {way} (2024)" for way in ways]


def search(*figures: tuple[float, int]) -> list[KnownStep]:
    """Seconds and MiB of each step."""
    return [
        KnownStep(
            query="a",
            side=side.label,
            ms=seconds * 1_000,
            times_faster=figures[0][0] / seconds,
            memory=1,
            bytes_read=mib * 2**20,
        )
        for side, (seconds, mib) in zip(KNOWN_SIDES, figures, strict=True)
    ]


def test_a_step_that_gains_nothing_is_said_to_gain_nothing() -> None:
    case, rewrite, indexed, today, ours = explained(
        search((10.0, 3_500), (25.0, 3_600), (12.5, 1_500), (5.0, 1_000), (1.0, 50), (0.5, 10))
    )

    assert case == "Where the case gained 2 and 30 to 60 times, this is 0.4 and 0.8."
    assert "does not gain, it is slower (0.4 times" in rewrite
    assert "reads 3,600.0 MiB, the plain query 3,500.0. The condition reads the bodies in the subquery" in rewrite
    assert "2.0 times as fast as it is without" in indexed
    assert "still does not gain over the plain query without one (0.8)" in indexed
    assert "2.5 times as fast as the rewrite of 2024 with the same index, 2.0 times as fast as the first" in today
    assert "10.0 times as fast as the first step with tokenbf, 20.0 with text" in ours


def test_a_step_that_gains_is_said_to_gain() -> None:
    _, rewrite, indexed, today, _ = explained(
        search((10.0, 3_500), (0.5, 40), (0.49, 40), (0.98, 40), (1.0, 50), (0.5, 10))
    )

    assert rewrite.startswith("The rewrite is 20.0 times as fast as the plain query")
    assert indexed.startswith("The index adds nothing to the rewrite (1.0 times)")
    assert "slower than the rewrite of 2024 (0.5 times as fast)" in today


def test_every_placement_has_its_baseline_and_every_frequency_is_smoked() -> None:
    for placement in Placement:
        assert {baseline(placement), *(product(placement, each) for each in Profile)} <= set(sides(placement))
        assert len(set(sides(placement))) == len(sides(placement))
    assert [each.words for each in SMOKE_WORDS] == ["frequent", "rare", "absent", "combined"]


def test_a_page_costs_all_statements_that_began_while_it_was_read() -> None:
    statements = [
        Statement(15, True, 2_000, 5, 100, 1_000, 3),
        Statement(15, False, 9_000, 50, 60, 600, 2),
        Statement(18, True, 1_000, 7, 1, 10, 1),
        Statement(25, True, 500, 1, 2, 3, 4),
        Statement(31, True, 7, 7, 7, 7, 7),
    ]

    def read(began: int, ended: int) -> Read:
        return Read(WORDS[0], baseline(Placement.local), began, ended, 0.0)

    assert attributed(statements, [read(10, 19), read(20, 30)]) == [
        Cost(0.003, 50, 101, 1_010, 6, 2),
        Cost(0.0005, 1, 2, 3, 4, 1),
    ]
    with pytest.raises(Internal):
        attributed(statements, [read(10, 19), read(20, 21)])


def test_the_page_has_a_line_for_each_side_and_leaves_the_known_case_out_of_them() -> None:
    written = "\n".join(page_lines(report(measured(0.009, 0.03)), "logsieve loadtest plans", "2 cores"))

    for placement in Placement:
        assert all(
            written.count(f"\n| {side.label} |") == 2 for side in sides(placement) if side.layout != "severity key"
        )
    assert "| on one node | text | 111.1 | 100, reached |" in written
    [line] = [line for line in written.splitlines()[::-1] if line.startswith("| logsieve text, auto (today) |")][:1]
    assert line.startswith("| logsieve text, auto (today) | 9.0 | 9.0 | 9.0 | 9.0 | 9.0 |")
