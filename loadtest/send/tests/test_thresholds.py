"""Tests that missed thresholds of a profile are reported, also a lost record beside one that is stored twice."""

from collections import Counter, defaultdict
from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

import pytest

import loadtest.verdict
from kit.clock import SystemClock
from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.own_stack import OwnStack, Sender
from loadtest.report.correctness import Correctness
from loadtest.send import measure
from loadtest.send.measure import RECORDS, due_times, run_profile, send_report
from loadtest.send.profile import PROFILES, Stage
from loadtest.send.study import SendReport
from loadtest.traffic.scheduled_exports import Outcomes

WHOLE = Correctness()


def missed(report: SendReport) -> list[str]:
    return [row.what for row in report.headline() if not row.met]


def test_a_run_is_judged_by_every_threshold() -> None:
    def judged(
        seconds: list[float], *, refused: int = 0, behind: float = 0.0, verdict: Correctness = WHOLE
    ) -> SendReport:
        sent = defaultdict(Sent, {1: Sent(acknowledged=[range(90)])})
        return send_report("smoke", Outcomes(sent, refused, seconds, behind), verdict)

    assert judged([0.01] * 9).passed
    assert missed(judged([0.01] * 9 + [99.0])) == ["smoke: 99th percentile of acknowledgements of 90 records"]
    assert missed(judged([0.01], behind=99.0)) == ["largest delay of a request behind its schedule"]
    assert missed(judged([0.01], refused=1)) == ["records without acknowledgement"]
    for wrong in ("lost", "doubled", "foreign"):
        assert missed(judged([0.01], verdict=Correctness(**{wrong: 1}))) == ["wrong of 90 acknowledged records"]


def test_a_lost_record_and_a_doubled_one_do_not_cancel_each_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that records are compared by number, and only after all messages were loaded."""
    sent = [range(first, first + 45) for first in (0, 45)]
    outcomes = Outcomes(defaultdict(Sent, {1: Sent(acknowledged=sent)}), 0, [0.01], 0.0)
    stored = {1: Counter(range(90))}
    monkeypatch.setattr(measure, "ScheduledExports", lambda *_: nullcontext(SimpleNamespace(outcomes=outcomes)))
    monkeypatch.setattr(measure, "on_schedule", lambda *_: None)
    # The loader stores a record again late, and another one never.
    monkeypatch.setattr(measure, "wait_until_loaded", lambda *_: stored[1].update({3: 1, 52: -1}))
    monkeypatch.setattr(loadtest.verdict, "connect_shards", lambda _: nullcontext())
    monkeypatch.setattr(loadtest.verdict, "find_in_topic", lambda *_: {})
    store = SimpleNamespace(numbers=lambda *_: {1: +stored[1]}, coordinates=lambda *_: [])
    monkeypatch.setattr(loadtest.verdict, "LogStore", lambda *_: store)
    stack = SimpleNamespace(
        settings=Settings(), otlp_http=("127.0.0.1", 0), create_sender=lambda name: Sender(name, 1, 0, "")
    )
    bench = SimpleNamespace(seed=1, clock=SystemClock(), say=lambda _: None)

    report = run_profile(cast(Bench, bench), cast(OwnStack, stack), "smoke")

    assert (report.acknowledged, report.stored, report.lost, report.doubled) == (90, 89, 1, 1)
    assert missed(report) == ["wrong of 90 acknowledged records"]


def test_each_stage_has_its_rate() -> None:
    due = list(due_times((Stage(2, 100), Stage(1, 500))))

    assert due == [0.0, 0.5, 1.0, 1.5, *(2 + number / 10 for number in range(10))]
    for profile in PROFILES.values():
        records = sum(stage.seconds * stage.rate for stage in profile.stages)
        assert len(list(due_times(profile.stages))) * RECORDS == records
