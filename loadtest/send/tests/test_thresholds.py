"""Tests that missed thresholds of a profile are reported, also those of records that are stored late."""

from collections import defaultdict
from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

import pytest

from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.own_stack import OwnStack, Sender
from loadtest.scheduled_exports import Outcomes
from loadtest.send import measure
from loadtest.send.measure import judge, run_profile
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


def test_a_record_that_is_doubled_late_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that rows are counted after all messages were loaded, not as soon as there are enough of them."""
    rows = [45]
    sent = defaultdict(Sent, {1: Sent(acknowledged=[range(90)])})
    outcomes = [Outcomes(sent, 0, [0.01], 0.0)]
    pool = nullcontext(SimpleNamespace(map=lambda *_: outcomes))
    monkeypatch.setattr(measure, "ProcessPoolExecutor", lambda *_, **_options: pool)
    monkeypatch.setattr(measure, "wait_until_loaded", lambda *_: rows.append(46))
    monkeypatch.setattr(measure, "connect_shards", lambda _: nullcontext())
    store = SimpleNamespace(count=lambda *_: rows[-1], wait_for_count=lambda *_: None)
    monkeypatch.setattr(measure, "LogStore", lambda *_: store)
    stack = SimpleNamespace(
        settings=Settings(), otlp_http=("127.0.0.1", 0), create_sender=lambda name: Sender(name, 1, 0, "")
    )
    bench = SimpleNamespace(seed=1, clock=None, say=lambda _: None)

    report = run_profile(cast(Bench, bench), cast(OwnStack, stack), "smoke")

    assert report.missed == ("92 records are stored, 90 were acknowledged, 0 are uncertain",)
