"""Tests the smoke runs of studies that need no stack of their own."""

import os
import shutil
from pathlib import Path

import pytest

from loadtest.explorer.browser import HEADLESS_SHELL
from loadtest.explorer.report import ExplorerReport
from loadtest.explorer.study import STUDY as EXPLORER
from loadtest.peers.report import PeersReport
from loadtest.peers.study import STUDY as PEERS
from loadtest.send.report import SendReport
from loadtest.send.study import STUDY as SEND
from tests.loadtest.shared_bench import SharedBench, write_page
from tests.running_stack import Stack


def test_the_sender_loses_nothing(stack: Stack, tmp_path: Path) -> None:
    report = SEND.run(SharedBench(stack), profile="smoke")

    assert isinstance(report, SendReport)
    assert report.passed, report.missed
    assert report.stored == report.acknowledged == 3_000
    command = "logsieve loadtest send --profile smoke"
    assert f"`{command}`" in write_page(SEND, report, command, tmp_path)


def test_without_peers_logsieve_answers_what_was_sent(stack: Stack, tmp_path: Path) -> None:
    report = PEERS.run(SharedBench(stack), smoke=True)

    assert isinstance(report, PeersReport)
    assert report.passed
    assert report.absent == ("VictoriaLogs", "Loki", "Collector + exporter")
    [side] = report.sides
    assert (side.stored, side.lost, side.doubled) == (5_000, 0, 0)
    assert {"receiver", "kafka", "loader", "clickhouse", "api"} == side.cpu_seconds.keys() == side.peak_bytes.keys()
    assert report.disagreements == ()
    assert all(timing.median_ms > 0 for timing in report.timings)
    command = "logsieve loadtest peers --smoke"
    assert f"`{command}`" in write_page(PEERS, report, command, tmp_path)
    assert (tmp_path / "peers-5000-tokenbf.svg").read_text().startswith("<?xml")


def test_the_explorer_study_times_each_query_and_its_answer(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "LOGSIEVE_CHROMIUM" not in os.environ and (shell := shutil.which(HEADLESS_SHELL)) is not None:
        monkeypatch.setenv("LOGSIEVE_CHROMIUM", shell)

    report = EXPLORER.run(SharedBench(stack), records=2_000, runs=2, rows=500)

    assert isinstance(report, ExplorerReport)
    assert [each.words for each in report.painted] == ["frequent", "rare", "scarce"]
    assert all(each.p50_ms > 0 and each.search_ms > 0 for each in report.painted)
    assert all(each.rows > 0 and each.frames > 0 for each in (report.scrolled, report.plain))
    assert report.first_load_kb > 0
    assert report.interactive_ms > 0
    command = "logsieve loadtest explorer --records 2000 --runs 2 --rows 500"
    assert "`zfrequent`" in write_page(EXPLORER, report, command, tmp_path)
    assert (tmp_path / "results" / "explorer.json").exists()
