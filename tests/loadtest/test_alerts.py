"""Tests the small run of the alerts study: firings are reported although the worker is killed."""

from pathlib import Path
from typing import Final

import pytest

from loadtest.alerts.plan import GROUPS
from loadtest.alerts.study import STUDY, AlertsReport
from tests.loadtest.shared_bench import SharedBench, write_page
from tests.running_stack import Stack

SECONDS: Final = 430
"""Longest time of the run, in seconds. Most of it is spent waiting for full minutes."""


@pytest.mark.timeout(SECONDS)
def test_firings_are_reported_under_one_id_although_the_worker_is_killed(stack: Stack, tmp_path: Path) -> None:
    report = STUDY.run(SharedBench(stack), smoke=True)

    assert isinstance(report, AlertsReport)
    arrivals = report.arrivals
    assert (report.rules, report.kills, arrivals.firings) == (4, 1, 4 * GROUPS)
    assert (arrivals.missing, arrivals.second_ids, arrivals.unexpected) == (0, 0, 0)
    assert report.quiet.evaluations >= 2
    assert report.killed.evaluations >= 4
    assert report.quiet.failed == report.killed.failed == 0
    write_page(STUDY, report, "logsieve loadtest alerts --smoke", tmp_path)
    assert "[Alert rules while their worker is killed](alerts.md)" in (tmp_path / "README.md").read_text()
