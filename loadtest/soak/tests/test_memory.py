"""Tests that the trend of memory separates growth from noise, and that samples cover a whole run."""

import os
import random
import subprocess
import sys
import threading

import pytest

from kit.clock import SystemClock
from loadtest.soak.memory import POINTS, Trend, sample_memory
from loadtest.soak.study import Memory
from tests.chance import SEED


def test_growth_is_that_of_the_line_after_the_first_quarter() -> None:
    points = [900.0] * 30 + [100.0 + place for place in range(90)]

    trend = Trend.of(points)

    assert trend.growth == pytest.approx(89)
    assert trend.noise == pytest.approx(0, abs=1e-9)
    assert trend.median == 144.5


def test_even_memory_that_varies_has_noise_and_no_growth() -> None:
    rng = random.Random(SEED)
    points = [200 + rng.uniform(-20, 20) for _ in range(POINTS)]

    trend = Trend.of(points)

    assert abs(trend.growth) < trend.noise
    assert 15 < trend.noise < 25


@pytest.mark.parametrize(("growth", "met"), [(1.9, True), (2.1, False), (40, False), (-40, True)])
def test_growth_within_two_percent_of_the_median_is_noise(growth: float, met: bool) -> None:
    settled = [100 + growth * (place / 89 - 0.5) for place in range(90)]

    row = Memory(service="api", mib=(*[100.0] * 30, *settled)).row(90)

    assert row.met is met
    assert row.what == "growth of api's memory over 90 minutes, of 100 MiB"


def test_a_process_that_ended_misses_the_goal_although_its_memory_did_not_grow() -> None:
    row = Memory(service="api", mib=(*[100.0] * 119, 0.0)).row(90)

    assert (row.measured, row.met, row.firm) == ("its process ended", False, True)


def test_memory_of_processes_is_sampled_until_the_run_ends() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    mib: dict[str, list[float]] = {"own": [], "ended": []}
    sample_memory({"own": os.getpid(), "ended": ended.pid}, 0.2, SystemClock(), mib, threading.Event())

    assert len(mib["own"]) == POINTS
    assert min(mib["own"]) > 1
    assert mib["ended"] == [0] * POINTS
