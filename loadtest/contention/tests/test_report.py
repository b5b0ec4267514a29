"""Tests the numbers and goals that the report of the study is made of."""

from pathlib import Path

import pytest

from loadtest.contention.study import LOCKS, ContentionReport, Moment, Phase, folded, unfolded
from loadtest.contention.watch import Watched

REAL = {"HTTPHandler;0x1;syscall": 60, "HTTPHandler;0x2": 40}
CPU = {"HTTPHandler;0x2": 40}


def phase(inserts: int, *, real: dict[str, int] = REAL, running: float = 9.0) -> Phase:
    return Phase(
        inserts_at_once=inserts,
        seconds=10,
        searches=50,
        inserts=5,
        search_seconds={"p50": 1.0, "p99": 2.0},
        snapshots=4,
        unanswered=1,
        running_threads=running,
        moments=(
            Moment(second=1.0, waiting=dict.fromkeys(LOCKS, 8.0)),
            Moment(second=4.0, waiting=dict.fromkeys(LOCKS, 0.0)),
        ),
        real=real,
        cpu=CPU,
    )


def report(*phases: Phase, smoke: bool = False) -> ContentionReport:
    return ContentionReport(smoke=smoke, parts=10, at_once=2, phases=phases)


def test_the_goals_are_about_the_phase_with_inserts() -> None:
    alone = phase(0, real={"HTTPHandler;0x2": 1}, running=1000.0)

    assert report(alone, phase(4)).passed
    assert not report(alone, phase(4, real={"HTTPHandler;0x2": 1})).passed, "no lock in Real"
    assert not report(alone, phase(4, running=30.0)).passed, "the kernel counts three times as many threads"
    assert report(alone, phase(4, running=30.0), smoke=True).passed


def test_shares_and_waits_are_weighted() -> None:
    busy = phase(4)

    assert (busy.lock_share, busy.not_waiting) == (60.0, 10.0)
    assert busy.waiting("Context lock") == pytest.approx(2.0)


def test_names_with_the_separator_do_not_make_frames() -> None:
    assert unfolded(folded({("t", "f(a;b)"): 3})) == {("t", "f(a,b)"): 3}


def test_waits_over_time_are_differences_of_counters() -> None:
    watched = Watched()
    event = LOCKS["Context lock"]

    for second, waited in ((100.0, 5_000_000), (102.0, 9_000_000), (103.0, 9_500_000)):
        watched.add_waits(second, {event: waited})

    assert [(each.second, each.waiting["Context lock"]) for each in watched.moments] == [(2.0, 2.0), (3.0, 0.5)]


def test_the_pictures_have_the_lock_on_one_side_only(tmp_path: Path) -> None:
    flames, *_ = report(phase(0), phase(4)).pictures()

    flames.draw(tmp_path / flames.name)

    svg = (tmp_path / flames.name).read_text()
    assert svg.count('data-frame="syscall"') == 1
    assert svg.count('data-frame="0x2"') == 2
