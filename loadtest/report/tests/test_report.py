"""Lines that studies print become results, results become pages, and the same results the same pages."""

import dataclasses
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kit.errors import InvalidRequest
from kit.settings import CHECKOUT
from loadtest.comparison import Difference, Numbered
from loadtest.fairness.measure import FairnessReport, Latencies
from loadtest.faults.recovery import Recovery
from loadtest.faults.report import FaultReport
from loadtest.faults.report import plain as plain_faults
from loadtest.freshness.measure import GOAL_SECONDS, FreshnessResult
from loadtest.freshness.report import plain as plain_freshness
from loadtest.ingest.measure import Cost, SizeResult
from loadtest.ingest.parts import PartsWork
from loadtest.report.page import headline
from loadtest.report.result import Origin, Result, keep, kept, result_of
from loadtest.report.studies import STUDIES
from loadtest.report.write import INDEX, write_report
from loadtest.verdict import Verdict

ORIGIN = Origin(command="logsieve loadtest …", day=date(2026, 1, 2), commit="abc", machine="2 cores")
PAGES = CHECKOUT / "docs" / "benchmarks"


def made(study: str, report: dict[str, Any]) -> Result:
    return result_of(study, json.dumps(report), ORIGIN)


def lost(count: int) -> Verdict:
    return Verdict(Difference(tuple(Numbered(1, number) for number in range(count)), (), (), 0), (), (), ())


def cost(process: str, seconds: float) -> Cost:
    return Cost(10**8, 3.0, {process: seconds}, PartsWork(1, 1, 0.1))


def test_a_size_that_misses_its_goal_is_shown_as_it_is() -> None:
    sizes = [
        SizeResult(4096, 1000, 1000, cost("loader", 2.0), cost("clickhouse", 1.2), 50_000),
        SizeResult(300, 1000, 1000, cost("loader", 4.0), cost("clickhouse", 1.2), 50_000),
    ]
    result = made("ingest", {"passed": False, "sizes": [dataclasses.asdict(each) for each in sizes]})

    large, small = result.findings.headline()

    assert (large.measured, large.goal, large.met) == ("0.60", "at least 0.5", True)
    assert (small.measured, small.met) == ("0.30", False)
    assert "| 0.30 | at least 0.35 | **missed** |" in headline(result.findings.headline())
    [table] = result.findings.tables()
    assert ("loader, µs a record", "2000.0", "4000.0") in table.rows


def test_lost_records_are_a_missed_goal() -> None:
    freshness = FreshnessResult(500.0, 1000.0, 4096, 900, 0, 0.5, 1.5, 1.9, 0.1, 0.1, lost(3))
    faults = FaultReport(1, {"kafka": 2}, 3, 4, 10, 900, 5, lost(0), (Recovery("kafka", 4.0, 6.0),), 60.0)

    delay, wrong = made("freshness", {**plain_freshness(freshness), "goal_seconds": GOAL_SECONDS}).findings.headline()
    [none_wrong] = made("faults", plain_faults(faults)).findings.headline()

    assert (delay.met, wrong.measured, wrong.met) == (True, "3", False)
    assert (none_wrong.measured, none_wrong.met) == ("0", True)


def test_two_services_of_one_study_stand_beside_each_other(tmp_path: Path) -> None:
    outage = {
        "passed": True,
        "seconds": 60,
        "logged": 500,
        "answers": {"statuses": {"200": 4, "503": 2}, "without_retry_after": 0, "slowest_seconds": 1.5},
        "drained_after": 12.0,
        "lost": 0,
        "doubled": 1,
        "foreign": 0,
    }
    for service in ("kafka", "clickhouse"):
        keep(made("outage", {**outage, "service": service}), tmp_path)

    write_report(tmp_path)

    assert sorted(file.name for file in (tmp_path / "results").iterdir()) == [
        "outage-clickhouse.json",
        "outage-kafka.json",
    ]
    page = (tmp_path / "outage.md").read_text()
    assert "kafka away for 60 s" in page
    assert "clickhouse away for 60 s" in page
    assert "| answers 503 | 2 |" in page


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    report = FairnessReport(Latencies(10, 0.01, 0.02), Latencies(10, 0.01, 0.05), {200: 3, 429: 7}, 1000)
    result = made("fairness", {"passed": False, "ratio": report.ratio, "goal": 2.0, **dataclasses.asdict(report)})

    keep(result, tmp_path)

    assert kept(tmp_path) == [result]
    [row] = result.findings.headline()
    assert (row.measured, row.met) == ("2.50", False)


def test_a_line_of_another_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no line of `logsieve loadtest tail --json`"):
        made("tail", {"passed": True, "sizes": []})
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "odd.json").write_text('{"study": "tail"}')
    with pytest.raises(InvalidRequest, match="is no result of a study"):
        kept(tmp_path)


def test_studies_without_a_result_are_said_to_be_not_run(tmp_path: Path) -> None:
    write_report(tmp_path)

    table = (tmp_path / INDEX).read_text()
    assert all(f"not run yet | | | `logsieve loadtest {name}` |" in table for name in STUDIES)


def test_the_pages_in_the_docs_are_those_of_the_results(tmp_path: Path) -> None:
    """Whoever types a number into one of them, or forgets to write them again, is found here."""
    (tmp_path / "results").mkdir()
    for file in (PAGES / "results").iterdir():
        (tmp_path / "results" / file.name).write_text(file.read_text())
    for study in STUDIES.values():
        if study.method is None and (PAGES / study.page).exists():
            (tmp_path / study.page).touch()

    written = write_report(tmp_path)

    assert {file.name: (PAGES / file.name).read_text() for file in written} == {
        file.name: file.read_text() for file in written
    }
    again = (tmp_path / "summary.svg").read_bytes()
    write_report(tmp_path)
    assert (tmp_path / "summary.svg").read_bytes() == again


def test_the_readme_shows_a_picture_that_is_there() -> None:
    assert "](docs/benchmarks/summary.svg)" in (CHECKOUT / "README.md").read_text()
    assert (PAGES / "summary.svg").read_text().startswith("<?xml")
