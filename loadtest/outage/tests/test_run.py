"""Tests that the time until everything is searchable has no part in which the study itself waits."""

import time
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

import pytest

from kit.clock import ManualClock
from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.outage import run
from loadtest.own_stack import OwnStack, Sender
from loadtest.report.correctness import Correctness
from loadtest.services import CLICKHOUSE

DOWN, RESTART, CATCHING_UP = 60.0, 5.0, 2.0
"""Seconds for which the service is down, starts, and for which the loaders catch up."""


def test_the_time_begins_with_the_end_of_the_outage_and_ends_when_its_records_are_searchable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = ManualClock(0)
    application = SimpleNamespace(logged=300, finish=lambda: 400)
    probe = SimpleNamespace(statuses=Counter({200: 9}), without_retry_after=0, slowest=0.1)
    waited: list[int] = []

    def keep_down(*_: object) -> float:
        clock.advance(DOWN)
        return clock.monotonic()

    def wait_for_tenant(_settings: Settings, _lane: int, _tenant: int, expected: int) -> None:
        waited.append(expected)
        clock.advance(CATCHING_UP)

    monkeypatch.setattr(time, "sleep", clock.advance)
    monkeypatch.setattr(run, "_Application", lambda *_: nullcontext(application))
    monkeypatch.setattr(run, "_Probe", lambda *_: nullcontext(probe))
    monkeypatch.setattr(run, "keep_down", keep_down)
    monkeypatch.setattr(run, "wait_for_tenant", wait_for_tenant)
    monkeypatch.setattr(run, "wait_until_loaded", lambda *_: None)
    monkeypatch.setattr(run, "judge", lambda *_, **_options: Correctness())
    stack = SimpleNamespace(
        settings=Settings(),
        otlp_http=("127.0.0.1", 0),
        create_sender=lambda name: Sender(name, 1, 0, ""),
        services=SimpleNamespace(wait_until_ready=lambda *_: clock.advance(RESTART)),
    )
    bench = SimpleNamespace(clock=clock, say=lambda _: None)

    report = run.run_outage(cast(Bench, bench), cast(OwnStack, stack), CLICKHOUSE, DOWN, 5)

    assert report.drained_after == RESTART + CATCHING_UP
    assert waited == [application.logged]
    assert (report.logged, report.passed) == (400, True)
