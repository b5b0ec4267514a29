"""Tests that calls start on schedule, get the time at which they were due, and that their errors are raised."""

import threading

import pytest

from kit.clock import SystemClock
from loadtest.traffic.open_loop import on_schedule


def test_each_call_gets_the_moment_it_was_due() -> None:
    clock, dues, lock = SystemClock(), [], threading.Lock()

    def call(due: float) -> None:
        assert clock.monotonic() >= due
        with lock:
            dues.append(due)

    on_schedule(((number * 0.01, call) for number in range(5)), clock, threads=2)

    first, *later = sorted(dues)
    assert [round(due - first, 6) for due in later] == [0.01, 0.02, 0.03, 0.04]


def test_a_slow_call_does_not_hold_up_the_next_one() -> None:
    release, started = threading.Event(), threading.Event()

    def slow(_due: float) -> None:
        assert release.wait(30)

    def fast(_due: float) -> None:
        started.set()
        release.set()

    on_schedule([(0.0, slow), (0.0, fast)], SystemClock(), threads=2)

    assert started.is_set()


def test_what_a_call_raises_is_raised() -> None:
    def fail(_due: float) -> None:
        raise RuntimeError("refused")

    with pytest.raises(RuntimeError, match="refused"):
        on_schedule([(0.0, fail)], SystemClock(), threads=1)
