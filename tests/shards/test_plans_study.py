"""Tests the smoke run of the plans study over two nodes, in which all sides must find as many records."""

from pathlib import Path

from loadtest.plans.study import STUDY, PlansReport
from tests.empty_store import EmptyStore
from tests.loadtest.shared_bench import SharedBench, write_page
from tests.running_stack import Stack


def test_every_plan_and_layout_finds_the_same_pages(two: Stack, empty_store: EmptyStore, tmp_path: Path) -> None:
    report = STUDY.run(SharedBench(two, empty_store.settings), smoke=True)

    assert isinstance(report, PlansReport)
    assert report.passed
    sides = {(page.placement, page.layout, page.way, page.engine) for page in report.pages}
    assert {("two shards", "logsieve text", "auto", "today"), ("local", "signoz", "own", "today")} <= sides
    assert all(page.seconds > 0 and page.rows_read >= 0 for page in report.pages)
    assert report.tables()[0].rows[0][2] == "1.0"
    assert "Two shards:" in write_page(STUDY, report, "logsieve loadtest plans --smoke", tmp_path)
    assert (tmp_path / "plans.svg").read_text().startswith("<?xml")
    assert (tmp_path / "results" / "plans.json").exists()
