"""Tests which results of the study meet its goals."""

import pytest

from loadtest.faults.cluster.report import ClusterFindings, SearchTimes


def times(when: str, *, failed: int = 0, failing: float = 0.0, p99: float = 0.2) -> SearchTimes:
    return SearchTimes(
        when=when, failures=1, searches=100, failed=failed, failing_seconds=failing, p50=0.1, p99=p99, slowest=p99
    )


@pytest.mark.parametrize(
    ("before", "during", "unequal", "met"),
    [
        (times("before"), times("during", p99=0.6), 0, [True, True, True]),
        (times("before"), times("during", p99=0.7), 0, [True, True, False]),
        (times("before", failed=1, failing=0.1), times("during"), 0, [True, True, False]),
        (times("before"), times("during", failed=3, failing=1.1), 0, [True, False, True]),
        (times("before"), times("during"), 1, [False, True, True]),
    ],
)
def test_each_goal_is_judged_by_its_own_numbers(
    before: SearchTimes, during: SearchTimes, unequal: int, met: list[bool]
) -> None:
    findings = ClusterFindings(
        replicas=2,
        records_per_second=100,
        searches_per_second=2,
        before=before,
        during=(during,),
        unreachable=during,
        unequal=unequal,
    )
    assert [row.met for row in findings.headline()] == met
