"""Tests that profiles are compared with goals by medians and by their slowest search, and show missed goals."""

import pytest

from backend.store.plans.plan import Plan
from loadtest.pages.questions import WORDS
from loadtest.search.measure import BASELINE, SIDES, Timings, planned, search_report
from loadtest.search.study import SearchReport
from schema.clickhouse.index_profiles import Profile

TIMINGS: Timings = {
    (question, side): [1_000.0, 1_000.0] if side == BASELINE else [10.0, 12.0] for question in WORDS for side in SIDES
}


def report(timings: Timings) -> SearchReport:
    return search_report(timings, records=1_000, rounds=2)


def test_a_profile_stands_by_medians_and_the_worst_case() -> None:
    slow = {**TIMINGS, (WORDS[0], planned(Profile.text, Plan.auto)): [200.0, 240.0]}
    before, after = report(TIMINGS), report(slow)
    standing, worse = (
        [row.measured for row in each.headline() if row.goal and row.what.startswith("text")]
        for each in (before, after)
    )

    assert before.passed
    assert standing == [f"{1_000 / 11:.1f}", "12 ms", "1.00"]
    assert not after.passed
    assert worse[1:] == ["240 ms", f"{20 ** (1 / 8):.2f}"]
    assert all(row.met for row in after.headline() if row.goal and row.what.startswith("tokenbf"))


def test_searches_are_summed_up_by_frequency() -> None:
    """Tests that the times by frequency are geometric means over the searches with words of that frequency."""
    rare = [question for question in WORDS if question.words == "rare"]
    shown = report({**TIMINGS, (rare[0], BASELINE): [10.0]})

    assert shown.by_frequency("exporter") == pytest.approx(
        dict.fromkeys(["frequent", "absent", "combined"], 1_000) | {"rare": 100}
    )
    assert shown.by_frequency("text/auto")["rare"] == pytest.approx(11)


def test_each_goal_is_judged_by_its_own_numbers() -> None:
    milliseconds = {"exporter": 4_000.0, "exporter text": 500.0, "text": 250.0, "tokenbf": 125.0}
    found = report({key: [milliseconds[SIDES[key[1]].partition("/")[0]]] for key in TIMINGS})

    verdicts = [(row.what.partition(":")[0], row.measured, row.goal, row.met) for row in found.headline()]
    assert verdicts == [
        ("tokenbf", "32.0", "at least 20", True),
        ("tokenbf", "125 ms", "at most 300 ms", True),
        ("tokenbf", "1.00", "at most 1.3", True),
        ("text", "16.0", "at least 50", False),
        ("text", "250 ms", "at most 100 ms", False),
        ("text", "1.00", "at most 1.3", True),
        ("tokenbf", "4.0", "", None),
        ("text", "2.0", "", None),
    ]
    assert not found.passed
    assert len(found.cases) == len(WORDS) * len(SIDES)
