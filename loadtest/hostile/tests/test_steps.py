"""Tests that the steps of a killed study are kept, and that a study with other parameters starts from the beginning."""

from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path

import pytest

from loadtest.hostile.attack import Attack
from loadtest.hostile.catalog import ATTACKS
from loadtest.hostile.footprint import Footprint, MemoryBounds
from loadtest.hostile.profile import FULL, SMOKE, Profile
from loadtest.hostile.stage import Phase
from loadtest.hostile.steps import Step, beside, complete, hostile_report, open_journal
from loadtest.hostile.victim import Felts

ALONE = {"near": Felts([0.1, inf], [0.2], [1.0, inf])}
SIZES = {"receiver": 1, "loader": 1, "api": 1, "clickhouse": 1}
BOUNDS = MemoryBounds(growth={"receiver": 1}, total={"clickhouse": 1})
FIRST, SECOND = ATTACKS[:2]
ATTACKED = beside(FIRST, Counter({"200 partial": 1}), 2.0, Phase(ALONE, Footprint(SIZES, SIZES, ())), BOUNDS)


def test_a_study_that_was_killed_knows_its_steps(tmp_path: Path) -> None:
    steps = [Step(alone=ALONE, dead_letters={"a": 1}), Step(beside=ATTACKED, lost=2, dead_letters={"a": 1, "b": 1})]
    journal = open_journal(tmp_path, FULL, ATTACKS, 1, "abc")
    for step in steps:
        journal.add(step)

    again = open_journal(tmp_path, FULL, ATTACKS, 1, "abc")

    assert again.steps == steps
    report = hostile_report([*again.steps, Step(alone=ALONE)], BOUNDS, smoke=False)
    assert report.dead_letters == {"a": 2, "b": 1}
    assert report.lost == 2
    assert (report.first.exports, report.alone.exports, report.alone.refused) == (2, 4, 2)


@pytest.mark.parametrize(
    "other",
    [(FULL, ATTACKS, 1, "def"), (SMOKE, ATTACKS, 1, "abc"), (FULL, ATTACKS[:1], 1, "abc"), (FULL, ATTACKS, 2, "abc")],
    ids=["code", "profile", "attacks", "seed"],
)
def test_another_study_starts_anew(tmp_path: Path, other: tuple[Profile, Sequence[Attack], int, str]) -> None:
    open_journal(tmp_path, FULL, ATTACKS, 1, "abc").add(Step(alone=ALONE))

    assert open_journal(tmp_path, *other).steps == []


def test_a_finished_study_leaves_no_steps(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, FULL, ATTACKS, 1, "abc")
    journal.add(Step(alone=ALONE))

    journal.remove()

    assert open_journal(tmp_path, FULL, ATTACKS, 1, "abc").steps == []


def test_a_study_is_complete_when_victims_were_alone_behind_all_attacks() -> None:
    alone, attack = Step(alone=ALONE), Step(beside=ATTACKED)

    assert complete([alone, attack, alone], [FIRST])
    assert not complete([alone, attack], [FIRST])
    assert not complete([alone, attack, alone], [FIRST, SECOND])
