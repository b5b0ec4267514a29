"""What fails a run, and that it says why."""

from dataclasses import replace

import pytest

from loadtest.comparison import Difference, Numbered
from loadtest.freshness.measure import LATE_SECONDS, FreshnessResult
from loadtest.freshness.report import plain
from loadtest.verdict import Verdict

RIGHT = Verdict(Difference((), (), (), 0), (), (), ())
GOOD = FreshnessResult(500.0, 1000.0, 4096, 900, 0, 0.5, 1.5, 1.9, LATE_SECONDS, 0.1, RIGHT)


def test_a_run_at_its_rate_passes() -> None:
    assert GOOD.passed
    assert plain(GOOD)["missed"] == ()


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (replace(GOOD, behind=66.0), "the sender was 66.00 s late, at most 0.5 s"),
        (replace(GOOD, p99=2.1), "p99 is 2.10 s, at most 2 s"),
        (replace(GOOD, uncertain=2), "2 records were not acknowledged"),
        (
            replace(GOOD, verdict=Verdict(Difference((Numbered(1, 1),), (), (), 0), (), (), ())),
            "what is stored is not what was acknowledged",
        ),
    ],
)
def test_a_run_that_fails_says_why(bad: FreshnessResult, why: str) -> None:
    [sentence] = bad.missed
    assert sentence.startswith(why)
    assert plain(bad)["passed"] is False
