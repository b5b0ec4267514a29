"""Tests that valid profiles are read, invalid ones refused, and missed thresholds reported."""

from collections import defaultdict
from pathlib import Path

import pytest

from kit.errors import InvalidRequest
from loadtest.comparison import Sent
from loadtest.scheduled_exports import Outcomes
from loadtest.send.measure import judge
from loadtest.send.profile import SHIPPED, read_profile
from loadtest.send.study import SendReport


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

    def judged(seconds: list[float], *, refused: int = 0, behind: float = 0.0, stored: int = 90) -> SendReport:
        sent = defaultdict(Sent, {1: Sent(acknowledged=[range(90)])})
        return judge("smoke", profile, [Outcomes(sent, refused, seconds, behind)], stored)

    assert judged([0.01] * 9).passed
    assert not judged([0.01] * 9, stored=91).passed
    assert "p99" in judged([0.01] * 9 + [99.0]).missed[0]
    assert "late" in judged([0.01], behind=99.0).missed[0]
    assert "not acknowledged" in judged([0.01], refused=1).missed[0]
    assert "stored" in judged([0.01], stored=91).missed[0]
    assert "stored" in judged([0.01], stored=89).missed[0]
