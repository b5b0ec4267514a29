"""Tests of the receiver, and that each mistake in notices is counted and fails the run."""

import httpx2
import pytest

from loadtest.alerts.notices import Received, compare, receiving
from loadtest.alerts.plan import Firing
from loadtest.alerts.study import AlertsReport, Arrivals, Lags

ONE, TWO, OTHER = Firing("r", "one"), Firing("r", "two"), Firing("r", "other")
GOOD = [Received("a", "firing", ONE), Received("b", "firing", TWO)]


def report(arrivals: Arrivals, p99: float = 4.9, failed: int = 0) -> AlertsReport:
    lags = Lags(evaluations=10, failed=failed, p50=1.0, p99=p99, longest=9.0)
    killed = lags.model_copy(update={"p99": 90.0})
    return AlertsReport(
        rules=2, kills=1, interrupted=1, quiet=lags, killed=killed, arrivals=arrivals, resolution_seconds=0.2,
        cpu_seconds={"alerts": 1.0},
    )  # fmt: skip


def test_each_firing_under_one_id_passes_also_with_repeats() -> None:
    found = compare({ONE, TWO}, [*GOOD, GOOD[0], GOOD[0]])
    assert found == Arrivals(firings=2, missing=0, second_ids=0, unexpected=0, repeats=2)
    assert report(found).passed


@pytest.mark.parametrize(
    ("received", "member"),
    [
        (GOOD[:1], "missing"),
        ([*GOOD, Received("c", "firing", ONE)], "second_ids"),
        ([*GOOD, Received("c", "firing", OTHER)], "unexpected"),
        ([*GOOD, Received("c", "resolved", ONE)], "unexpected"),
    ],
)
def test_mistakes_are_counted_and_fail(received: list[Received], member: str) -> None:
    found = compare({ONE, TWO}, received)
    assert found == Arrivals(**{"firings": 2, "missing": 0, "second_ids": 0, "unexpected": 0, "repeats": 0, member: 1})
    assert not report(found).passed


def test_late_and_failed_evaluations_miss_their_goals() -> None:
    good = compare({ONE, TWO}, GOOD)
    assert not report(good, p99=5.1).passed
    assert not report(good, failed=1).passed


def test_the_receiver_keeps_what_it_accepts() -> None:
    with receiving() as (url, received):
        body = {"id": "a", "kind": "firing", "rule": {"id": "0", "name": "r"}, "group": ["one"]}
        assert [httpx2.post(url, json=body).status_code for _ in range(2)] == [200, 200]
    assert received == [GOOD[0]] * 2
