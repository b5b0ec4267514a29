"""Tests that the victims' times of both phases alone are compared with those beside attacks together."""

from math import inf

from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.measure import hostile_report
from loadtest.hostile.victim import Felts
from loadtest.report.correctness import Correctness

BEFORE = {"near": Felts([0.1, inf], [0.2], [1.0, inf])}
AFTER = {"near": Felts([0.1, 0.3], [0.2], [1.0])}
BOUNDS = MemoryBounds(growth={"receiver": 1}, total={"clickhouse": 1})


def test_both_phases_alone_count_together_and_each_by_itself() -> None:
    report = hostile_report((BEFORE, AFTER), (), BOUNDS, {"a": 2}, Correctness(lost=3))

    assert (report.first.exports, report.last.exports, report.alone.exports) == (2, 2, 4)
    assert (report.first.refused, report.last.refused, report.alone.refused) == (1, 0, 1)
    assert (report.first.acknowledged["near"], report.last.acknowledged["near"]) == (None, 0.3)
    assert report.alone.searchable == {"near": None}
    assert (report.dead_letters, report.lost) == ({"a": 2}, 3)
