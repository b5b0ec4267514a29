"""Tests that a small run measures every contender, and that the report compares its values with the goals."""

import pytest

from kit.clock import SystemClock
from loadtest.patterns.labels import Labelled
from loadtest.patterns.measure import CONTENDERS, generated, measure_accuracy, measure_times
from loadtest.patterns.study import LONG, SHORT, Accuracy, PatternsReport, Timing


def timing(seconds: float) -> Timing:
    return Timing(
        contender="Logsieve", kind=SHORT, messages=5, bytes=9, seconds=seconds, slowest_seconds=seconds, cpu_seconds=0.1
    )


def test_every_contender_groups_every_kind_of_message() -> None:
    timings = measure_times(20, 2, 1, SystemClock(), lambda _: None)
    assert [(each.kind, each.contender) for each in timings] == [
        (kind, name) for kind in (SHORT, LONG) for name in CONTENDERS
    ]
    assert all(0 < each.seconds <= each.slowest_seconds for each in timings)
    assert {each.bytes >= 20 * 1_024 for each in timings if each.kind == LONG} == {True}


def test_contenders_group_by_template() -> None:
    web = Labelled("Web", ("user 1 left", "user 2 left", "the disk of node 7 is full"), ("E1", "E1", "E2"))
    [found] = measure_accuracy([web], lambda _: None)
    assert (found.system, found.shares) == ("Web", dict.fromkeys(CONTENDERS, 1.0))


def test_equal_seeds_give_equal_messages() -> None:
    assert generated(30, 100, 1) == generated(30, 100, 1) != generated(30, 100, 2)
    assert {len(each) for each in generated(30, 100, 1)} == {100}


@pytest.mark.parametrize(
    ("shares", "seconds", "met"),
    [((0.8, 0.9), 1.0, (True, True)), ((0.8, 0.89), 1.0, (False, True)), ((0.9, 0.9), 1.01, (True, False))],
)
def test_missed_goals_fail_the_run(shares: tuple[float, float], seconds: float, met: tuple[bool, bool]) -> None:
    accuracy = tuple(Accuracy(system=f"system {share}", shares={"Logsieve": share, "drain3": 0.5}) for share in shares)
    report = PatternsReport(accuracy=accuracy, timings=(timing(seconds),))
    assert tuple(row.met for row in report.headline()) == met
    assert report.passed is all(met)


def test_without_labelled_messages_only_times_are_reported() -> None:
    report = PatternsReport(timings=(timing(0.5),))
    assert [row.measured for row in report.headline()] == ["0.500 s"]
    assert [table.title for table in report.tables()] == ["Time of grouping"]
