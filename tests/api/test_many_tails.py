"""Runs `logsieve loadtest tail` with few tails: each gets each matching record once, without a query to ClickHouse."""

import json
from pathlib import Path

import pytest

from tests.chance import repetitions
from tests.running_stack import free_offset, logsieve

SECONDS = repetitions(50)


@pytest.mark.timeout(340 + SECONDS)
def test_twenty_tails_get_everything_once(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    sizes = ("--tails", "20", "--seconds", str(SECONDS), "--rate", "200")
    arguments = ("loadtest", "tail", *sizes, "--json", "--write", str(pages))
    done = logsieve(tmp_path / "unused", free_offset(), *arguments, seconds=220 + SECONDS, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["lost"], report["doubled"], report["foreign"], report["backend_log_queries"]) == (0, 0, 0, 0)
    assert report["reconnects"] > 0
    assert report["expected"] > 1000
    assert "that 20 tails should get | 0 | 0 | met |" in (pages / "tail.md").read_text()
