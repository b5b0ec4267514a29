"""Tests the smoke runs of some studies from the command line, and that a killed study continues."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from loadtest.explorer.study import STUDY as EXPLORER
from loadtest.tune.candidates import SMOKE

SECONDS: Final = 240


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stack", "loadtest", *arguments, "--json"]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}


def run(*arguments: str, may_miss_goals: bool = False) -> dict[str, Any]:
    """Runs a study and returns its report. A study that misses a goal exits with 1, like one that fails."""
    done = subprocess.run(
        command(*arguments), env=environment(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode in ((0, 1) if may_miss_goals else (0,)), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert "error" not in report, done.stderr
    return report


def steps(journal: Path) -> list[dict[str, Any]]:
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text().splitlines()[1:] if line.endswith("}")]


def test_a_killed_tuner_goes_on_where_it_was_and_writes_its_page(tmp_path: Path) -> None:
    arguments = ("tune", "--smoke", "--home", str(tmp_path / "study"))
    first = subprocess.Popen(command(*arguments), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    journal = tmp_path / "study" / "journal.jsonl"
    deadline = time.monotonic() + SECONDS
    while not steps(journal) and time.monotonic() < deadline:
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    before = steps(journal)
    assert 0 < len(before) < len(SMOKE)

    report = run(*arguments, "--write", str(tmp_path))

    assert report["passed"]
    assert report["errors"] == []
    assert [each["name"] for each in report["candidates"]] == [candidate.name for candidate in SMOKE]
    assert steps(journal)[: len(before)] == before
    assert len(steps(journal)) == len(SMOKE)
    page = (tmp_path / "tune.md").read_text()
    assert all(candidate.name in page for candidate in SMOKE)
    assert (tmp_path / "tune.svg").read_text().startswith("<?xml")
    assert (tmp_path / "results" / "tune.json").exists()
    assert "[Which index over the words of the body](tune.md)" in (tmp_path / "README.md").read_text()


def test_the_parts_study_measures_every_level(tmp_path: Path) -> None:
    report = run("parts", "--smoke", "--layout", "lanes", "--home", str(tmp_path), "--write", str(tmp_path))

    assert [level["pairs"] for level in report["levels"]] == [1_000, 2_000]
    assert all(level["active_parts"] >= level["pairs"] for level in report["levels"])
    assert all(each["planning_cpu"] > 0 for level in report["levels"] for each in level["planning"])
    assert "lanes" in (tmp_path / "parts.md").read_text()
    assert (tmp_path / "results" / "parts.json").exists()


def test_the_sender_loses_nothing(tmp_path: Path) -> None:
    report = run("send", "--profile", "smoke", "--write", str(tmp_path))

    assert "`logsieve loadtest send --profile smoke`" in (tmp_path / "send.md").read_text()
    assert report["stored"] == report["acknowledged"] == 3_000


def test_without_peers_logsieve_answers_what_was_sent(tmp_path: Path) -> None:
    report = run("peers", "--smoke", "--write", str(tmp_path))

    assert report["absent"] == ["VictoriaLogs", "Loki", "Collector + exporter"]
    [side] = report["sides"]
    assert (side["stored"], side["lost"], side["doubled"]) == (5_000, 0, 0)
    assert (
        {"receiver", "kafka", "loader", "clickhouse", "api"} == side["cpu_seconds"].keys() == side["peak_bytes"].keys()
    )
    assert report["disagreements"] == []
    assert all(timing["median_ms"] > 0 for timing in report["timings"])
    assert "`logsieve loadtest peers --smoke`" in (tmp_path / "peers.md").read_text()
    assert (tmp_path / "peers-5000-tokenbf.svg").read_text().startswith("<?xml")


def test_the_explorer_study_times_each_query_and_its_answer(tmp_path: Path) -> None:
    report = run("explorer", *EXPLORER.smoke, "--write", str(tmp_path), may_miss_goals=True)

    assert [each["words"] for each in report["painted"]] == ["frequent", "rare", "scarce"]
    assert all(each["p50_ms"] > 0 and each["search_ms"] > 0 for each in report["painted"])
    assert all(report[each]["rows"] > 0 and report[each]["frames"] > 0 for each in ("scrolled", "plain"))
    assert report["first_load_kb"] > 0
    assert report["interactive_ms"] > 0
    assert "`zfrequent`" in (tmp_path / "explorer.md").read_text()
    assert (tmp_path / "results" / "explorer.json").exists()
