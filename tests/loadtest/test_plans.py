"""Tests `logsieve loadtest plans` with few records over two real nodes, where all sides must find as many records."""

import json
from pathlib import Path

import pytest

from tests.running_stack import free_offset, logsieve

SECONDS = 400


@pytest.mark.timeout(SECONDS + 120)
def test_every_plan_and_layout_finds_the_same_pages(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    arguments = ("loadtest", "plans", "--smoke", "--json", "--home", str(tmp_path), "--write", str(pages))
    done = logsieve(tmp_path / "unused", free_offset(), *arguments, seconds=SECONDS)
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    report = json.loads(line)
    assert report["passed"] is True
    by_plan = {(page["placement"], page["layout"], page["way"], page["engine"]) for page in report["pages"]}
    assert {("two shards", "logsieve text", "auto", "today"), ("local", "signoz", "own", "today")} <= by_plan
    assert all(page["seconds"] > 0 and page["rows_read"] >= 0 for page in report["pages"])
    assert report["known_case"][0]["times_faster"] == 1
    page = (pages / "plans.md").read_text()
    assert "Two shards:" in page
    assert (pages / "plans.svg").read_text().startswith("<?xml")
    assert (pages / "results" / "plans.json").exists()
