"""Tests smoke runs of studies that restart their stacks, from the command line, and that a killed study continues."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from loadtest.tune.candidates import SMOKE

SECONDS: Final = 240


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stack", "loadtest", *arguments, "--json"]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}


def run(*arguments: str, seconds: float = SECONDS) -> dict[str, Any]:
    """Runs a study and returns its report."""
    done = subprocess.run(
        command(*arguments), env=environment(), capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stderr
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
