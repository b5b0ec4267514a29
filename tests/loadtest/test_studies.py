"""Tests the smoke run of a study that restarts its stack, from the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

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


def test_the_parts_study_measures_every_level(tmp_path: Path) -> None:
    report = run("parts", "--smoke", "--layout", "installed", "--home", str(tmp_path), "--write", str(tmp_path))

    assert [level["pairs"] for level in report["levels"]] == [1_000, 2_000]
    assert all(level["active_parts"] >= level["pairs"] for level in report["levels"])
    assert all(each["planning_cpu"] > 0 for level in report["levels"] for each in level["planning"])
    assert "lanes with skip indexes" in (tmp_path / "parts.md").read_text()
    assert (tmp_path / "results" / "parts-installed.json").exists()
    assert not (tmp_path / "levels.jsonl").exists(), "the next run would publish the same levels again"
