"""Tests the smoke run of the alerts study: firings are reported although the worker is killed."""

from pathlib import Path
from typing import Final

import pytest

from loadtest.alerts.plan import GROUPS
from loadtest.alerts.study import STUDY
from tests.loadtest.test_studies import run

SECONDS: Final = 400
"""Longest time of the run, in seconds. Most of it is spent waiting for full minutes."""


@pytest.mark.timeout(SECONDS + 30)
def test_firings_are_reported_under_one_id_although_the_worker_is_killed(tmp_path: Path) -> None:
    report = run("alerts", *STUDY.smoke, "--write", str(tmp_path), seconds=SECONDS)

    rules, wrong = 4, ("missing", "second_ids", "unexpected")
    assert (report["rules"], report["kills"], report["arrivals"]["firings"]) == (rules, 1, rules * GROUPS)
    assert {name: report["arrivals"][name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert report["quiet"]["evaluations"] >= rules // 2
    assert report["killed"]["evaluations"] >= rules
    assert report["quiet"]["failed"] == report["killed"]["failed"] == 0
    assert "[Alert rules while their worker is killed](alerts.md)" in (tmp_path / "README.md").read_text()
