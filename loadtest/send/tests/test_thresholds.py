"""Tests that missed thresholds of a profile are reported."""

from collections import defaultdict

from loadtest.comparison import Sent
from loadtest.scheduled_exports import Outcomes
from loadtest.send.measure import judge
from loadtest.send.study import SendReport


def test_a_run_is_judged_by_every_threshold() -> None:
    def judged(seconds: list[float], *, refused: int = 0, behind: float = 0.0, stored: int = 90) -> SendReport:
        sent = defaultdict(Sent, {1: Sent(acknowledged=[range(90)])})
        return judge("smoke", [Outcomes(sent, refused, seconds, behind)], stored)

    assert judged([0.01] * 9).passed
    assert not judged([0.01] * 9, stored=91).passed
    assert "p99" in judged([0.01] * 9 + [99.0]).missed[0]
    assert "late" in judged([0.01], behind=99.0).missed[0]
    assert "not acknowledged" in judged([0.01], refused=1).missed[0]
    assert "stored" in judged([0.01], stored=91).missed[0]
    assert "stored" in judged([0.01], stored=89).missed[0]
