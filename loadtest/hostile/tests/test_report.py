"""Tests that the report compares measurements with goals, and that a victim without answers misses a goal."""

from collections import Counter
from math import inf
from pathlib import Path

import pytest

from loadtest.hostile.attack import Attack
from loadtest.hostile.catalog import ATTACKS
from loadtest.hostile.footprint import Bound, Footprint
from loadtest.hostile.measure import Phase, hostile_report
from loadtest.hostile.measure import beside as report_beside
from loadtest.hostile.report import AttackResult, HostileReport
from loadtest.hostile.requests import PARTIAL
from loadtest.hostile.victim import VictimTimes
from loadtest.report.correctness import Correctness

MIB = 2**20
NAMES_ATTACK = ATTACKS[0]
FLOOD = Attack("flood", "often", "429", NAMES_ATTACK.prepare)
BEFORE = {"receiver": 100 * MIB, "loader": 100 * MIB, "api": 100 * MIB, "clickhouse": 300 * MIB}
BOUNDS = {name: Bound(50 * MIB) for name in BEFORE} | {"clickhouse": Bound(900 * MIB, of_growth=False)}


def times(acknowledged: float, searched: float = 0.02, delay: float = 1.0) -> VictimTimes:
    """Returns 50 equal times of each kind, in seconds."""
    return VictimTimes([acknowledged] * 50, [searched] * 50, [delay] * 50)


def phase(near: VictimTimes, far: VictimTimes, **grown: int) -> Phase:
    """Returns a phase in which the services named in `grown` grew by so many MiB."""
    peak = {name: size + grown.get(name, 0) * MIB for name, size in BEFORE.items()}
    return {"near": near, "far": far}, Footprint(BEFORE, peak, ())


def found(*attacks: AttackResult, timed: bool, lost: int = 0) -> HostileReport:
    alone, _ = phase(times(0.01), times(0.01))
    report = hostile_report((alone, alone), attacks, BOUNDS, {}, Correctness(lost=lost))
    return report.model_copy(update={"smoke": not timed})


def beside(attack: Attack, answer: str, phase: Phase, seconds: float = 1.0) -> AttackResult:
    return report_beside(attack, Counter({answer: 2}), seconds, phase, BOUNDS)


def missed(findings: HostileReport) -> list[str]:
    """Returns the measured values of all missed goals."""
    return [row.measured for row in findings.headline() if row.met is False]


def test_victims_that_notice_nothing_meet_every_goal() -> None:
    calm = phase(times(0.015), times(0.01))

    findings = found(beside(NAMES_ATTACK, PARTIAL, calm), beside(FLOOD, "429", calm), timed=True)

    assert missed(findings) == []
    assert findings.passed
    assert HostileReport.model_validate_json(findings.model_dump_json()) == findings


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"near": times(0.03)}, "3.00"),
        ({"far": times(0.025)}, "2.50"),
        ({"near": times(0.01, searched=0.05)}, "2.50"),
        ({"near": times(0.01, delay=11.0)}, "11.00 s"),
        ({"near": times(0.01, delay=inf)}, "refused"),
        ({"far": times(inf)}, "refused"),
    ],
)
def test_longer_times_of_one_victim_are_a_missed_goal_with_the_attacks_name(
    changed: dict[str, VictimTimes], shown: str
) -> None:
    """Tests that one slow victim misses a goal, whose row names the attack, except in a small run."""
    calm, hurt = times(0.01), phase(changed.get("near", times(0.01)), changed.get("far", times(0.01)))

    findings = found(beside(NAMES_ATTACK, PARTIAL, phase(calm, calm)), beside(FLOOD, "429", hurt), timed=True)

    assert missed(findings) == [shown]
    [row] = [row for row in findings.headline() if row.met is False]
    assert "(flood)" in row.what
    assert not findings.passed
    assert found(beside(FLOOD, "429", hurt), timed=False).passed


@pytest.mark.parametrize(
    "attacked",
    [
        beside(FLOOD, "200", phase(times(0.01), times(0.01))),
        beside(FLOOD, "429", phase(times(0.01), times(0.01), receiver=60)),
        beside(FLOOD, "429", phase(times(0.01), times(0.01), clickhouse=700)),
        beside(FLOOD, "429", (phase(times(0.01), times(0.01))[0], Footprint(BEFORE, BEFORE, ended=("receiver",)))),
    ],
    ids=["another answer", "memory over its growth", "memory over its total", "a process that ended"],
)
def test_answers_and_memory_and_life_are_judged_whatever_the_time(attacked: AttackResult) -> None:
    """Tests that a small run fails for an undocumented answer, too much memory, or a process that ended."""
    findings = found(attacked, timed=False)

    assert missed(findings) == ["1"]
    assert not findings.passed


def test_lost_records_fail_the_study_whatever_the_time() -> None:
    """Tests that a small run fails for lost records."""
    calm = beside(FLOOD, "429", phase(times(0.01), times(0.01)))

    assert not found(calm, timed=False, lost=3).passed


def test_the_request_with_many_names_has_goals_of_its_own() -> None:
    grown = phase(times(0.01), times(0.01, delay=6.0), clickhouse=501)

    findings = found(beside(NAMES_ATTACK, PARTIAL, grown, seconds=7.0), timed=True)

    assert missed(findings) == ["7.0 s", "501 MiB", "6.00 s"]


def test_an_answer_that_is_not_documented_is_marked() -> None:
    [beside_each, *_] = found(beside(FLOOD, "200", phase(times(0.015), times(0.01))), timed=True).tables()

    [row] = beside_each.rows
    assert row[1:3] == ("429", "200: 2 (**not documented**)")


def test_the_picture_has_a_line_for_each_attack_also_for_one_that_left_no_answers(tmp_path: Path) -> None:
    calm, hurt = phase(times(0.015), times(0.01)), phase(times(inf, inf, inf), times(inf, inf, inf))
    findings = found(beside(NAMES_ATTACK, PARTIAL, calm), beside(FLOOD, "429", hurt), timed=True)

    for shown in (findings, found(beside(FLOOD, "429", hurt), timed=True)):
        [picture] = shown.pictures()
        picture.draw(tmp_path / picture.name)
        drawn = (tmp_path / picture.name).read_text()
        assert all(f">{name.name}<" in drawn for name in shown.attacks)
        assert "too many refused or not found" in drawn


def test_both_phases_alone_count_together_and_each_by_itself() -> None:
    before = {"near": VictimTimes([0.1, inf], [0.2], [1.0, inf])}
    after = {"near": VictimTimes([0.1, 0.3], [0.2], [1.0])}

    report = hostile_report((before, after), (), BOUNDS, {"a": 2}, Correctness(lost=3))

    assert (report.first.exports, report.last.exports, report.alone.exports) == (2, 2, 4)
    assert (report.first.refused, report.last.refused, report.alone.refused) == (1, 0, 1)
    assert (report.first.acknowledged["near"], report.last.acknowledged["near"]) == (None, 0.3)
    assert report.alone.searchable == {"near": None}
    assert (report.dead_letters, report.lost) == ({"a": 2}, 3)
    assert (report.bounds["api"], report.bounds["clickhouse"]) == ("50 MiB more than without an attack", "900 MiB")
