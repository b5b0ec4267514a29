"""Tests that answers are compared with the documented ones, and that each attack can be sent to another process."""

import pickle
from collections import Counter

import pytest

from kit.settings import Settings
from loadtest.hostile.attack import Attack, Documented
from loadtest.hostile.catalog import ATTACKS
from loadtest.hostile.profile import SMOKE
from loadtest.hostile.report import NAMES

FLOOD = Documented.of("429", "503", also=("200",))


@pytest.mark.parametrize(
    ("answers", "met"),
    [
        ({"429": 3, "503": 1}, True),
        ({"429": 1, "503": 1, "200": 9}, True),
        ({"429": 3}, False),
        ({"200": 9}, False),
        ({"429": 3, "503": 1, "500": 1}, False),
        ({"429": 3, "503": 1, "500": 0}, True),
        ({}, False),
    ],
)
def test_all_needed_answers_were_seen_and_no_others(answers: dict[str, int], met: bool) -> None:
    assert FLOOD.is_met_by(Counter(answers)) is met


def test_names_are_different_and_the_one_with_goals_is_there() -> None:
    names = [attack.name for attack in ATTACKS]

    assert len(set(names)) == len(names)
    assert NAMES in names


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attacks_can_be_sent_to_another_process(attack: Attack) -> None:
    assert pickle.loads(pickle.dumps(attack)) == attack


def test_the_small_study_sets_settings_that_there_are() -> None:
    assert SMOKE.settings.keys() <= {f"LOGSIEVE_{name.upper()}" for name in Settings.model_fields}
