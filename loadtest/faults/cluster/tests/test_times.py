"""Tests to which periods searches belong, and how long searches of a tenant failed."""

import pytest

from loadtest.faults.cluster.plan import Failure
from loadtest.faults.cluster.searching import Search
from loadtest.faults.cluster.times import (
    Period,
    catching_up,
    during,
    failing_seconds,
    times_of,
    undisturbed,
)

PERIODS = [Period(Failure.node_killed, 10, 20, 25), Period(Failure.node_hangs, 30, 40, 41)]


def search(due: float, seconds: float = 0.1, failure: str = "", tenant: str = "a") -> Search:
    return Search(tenant, due, due + seconds, failure)


def test_each_search_belongs_to_the_time_when_it_was_due() -> None:
    every = [search(each) for each in (9.9, 10, 19.9, 20, 24.9, 25, 30, 40, 41)]
    assert [each.due for each in during(PERIODS, every)] == [10, 19.9, 30]
    assert [each.due for each in catching_up(PERIODS, every)] == [20, 24.9, 40]
    assert [each.due for each in undisturbed(PERIODS, every)] == [9.9, 25, 41]


@pytest.mark.parametrize(
    ("later", "seconds"),
    [
        ([search(1.5, 0.25)], 0.75),
        ([search(1.5, 0.25, "503"), search(2, 0.5)], 1.5),
        ([search(1.5, 0.25, tenant="b"), search(2, 0.5)], 1.5),
        ([search(1.5, 3), search(2, 0.5)], 1.5),
        ([search(0.5, 9)], 8.5),
    ],
)
def test_searches_fail_until_a_later_one_of_the_tenant_is_answered(later: list[Search], seconds: float) -> None:
    failed = search(1, 0.1, "503")
    assert failing_seconds(failed, [failed, *later]) == seconds


def test_times_count_failed_searches_too() -> None:
    every = [search(each / 10, 0.1) for each in range(99)] + [search(10, 5, "503")]
    found = times_of("now", 1, every, every)
    assert (found.searches, found.failed, found.slowest) == (100, 1, 5)
    assert found.p50 == pytest.approx(0.1)
    assert found.p99 == pytest.approx(0.1)
