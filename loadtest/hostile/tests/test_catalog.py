"""Tests that answers are compared with the documented ones, and that the table of attacks has names of its own."""

from collections import Counter

import pytest

from kit.settings import Settings
from loadtest.hostile.attack import Attack
from loadtest.hostile.catalog import ATTACKS
from loadtest.hostile.profile import SMOKE
from loadtest.hostile.report import NAMES

FLOOD = Attack("flood", "often", "429 and 503, also 200", ATTACKS[0].prepare)


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


def test_the_small_study_sets_settings_that_there_are() -> None:
    assert SMOKE.settings.keys() <= {f"LOGSIEVE_{name.upper()}" for name in Settings.model_fields}
