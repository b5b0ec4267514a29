"""Profiles are read or refused, and thresholds are held."""

from pathlib import Path

import pytest

from kit.errors import InvalidRequest
from loadtest.send.process import Tally
from loadtest.send.profile import SHIPPED, read_profile
from loadtest.send.run import judge


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_profiles_are_profiles(name: str) -> None:
    assert read_profile(name).seconds > 0


@pytest.mark.parametrize("text", ["about = ", "about = 'x'", "about = 'x'\nrates = 3"])
def test_what_is_no_profile_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(InvalidRequest):
        read_profile(str(file))
    with pytest.raises(InvalidRequest):
        read_profile(str(tmp_path / "absent.toml"))


def test_a_run_is_judged_by_every_threshold() -> None:
    profile = read_profile("smoke")

    assert judge(profile, [Tally({1: 90}, {}, 0, [0.01] * 9, 0.0)], stored=90).passed
    assert "p99" in judge(profile, [Tally({1: 90}, {}, 0, [0.01] * 9 + [99.0], 0.0)], 90).missed[0]
    assert "late" in judge(profile, [Tally({1: 90}, {}, 0, [0.01], 99.0)], 90).missed[0]
    assert "not acknowledged" in judge(profile, [Tally({1: 90}, {}, 1, [0.01], 0.0)], 90).missed[0]
    assert "stored" in judge(profile, [Tally({1: 90}, {}, 0, [0.01], 0.0)], 91).missed[0]
    assert "stored" in judge(profile, [Tally({1: 90}, {}, 0, [0.01], 0.0)], 89).missed[0]
