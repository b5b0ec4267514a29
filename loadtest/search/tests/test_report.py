from backend.store.plans.plan import Plan
from loadtest.search.cases import CASES
from loadtest.search.measure import SIDES, Side
from loadtest.search.report import plain, standing
from schema.clickhouse.index_profiles import Profile

TIMINGS = {
    (case, side): [1_000.0, 1_000.0] if side.profile is None else [10.0, 12.0] for case in CASES for side in SIDES
}


def test_a_profile_stands_by_medians_and_the_worst_case() -> None:
    slow = {**TIMINGS, (CASES[0], Side(Profile.text, Plan.auto)): [200.0, 240.0]}
    before, after = standing(TIMINGS, Profile.text), standing(slow, Profile.text)
    assert before.passed
    assert round(before.ratio, 3) == round(1_000 / 11, 3)
    assert before.auto_over_best == 1
    assert not after.passed
    assert after.p95_ms == 240
    assert round(after.auto_over_best, 3) == round(20 ** (1 / 8), 3)
    assert standing(slow, Profile.tokenbf).passed


def test_the_report_fails_when_one_profile_does() -> None:
    slow = {key: [900.0] if key[1].profile is Profile.text else times for key, times in TIMINGS.items()}
    report = plain(slow, [standing(slow, profile) for profile in Profile])
    assert not report["passed"]
    assert len(report["cases"]) == len(CASES) * len(SIDES)
