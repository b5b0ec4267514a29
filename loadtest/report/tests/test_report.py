"""Lines that studies print become results, results become pages, and the same results the same pages."""

import dataclasses
import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kit.errors import InvalidRequest
from kit.settings import CHECKOUT
from loadtest.comparison import Difference, Numbered
from loadtest.corpus.likeness import Likeness
from loadtest.corpus.report import as_plain as plain_corpus
from loadtest.export.measure import Growth
from loadtest.export.report import ExportReport
from loadtest.export.report import plain as plain_export
from loadtest.fairness.measure import FairnessReport, Latencies
from loadtest.faults.recovery import Recovery
from loadtest.faults.report import FaultReport
from loadtest.faults.report import plain as plain_faults
from loadtest.freshness.measure import GOAL_SECONDS, FreshnessResult
from loadtest.freshness.report import plain as plain_freshness
from loadtest.ingest.measure import Cost, SizeResult
from loadtest.ingest.parts import PartsWork
from loadtest.outage.probe import Answers
from loadtest.outage.report import OutageReport
from loadtest.outage.report import plain as plain_outage
from loadtest.paging.measure import Pass
from loadtest.paging.report import PagingReport
from loadtest.paging.report import plain as plain_paging
from loadtest.policy.catalog import BASELINE, CHOSEN
from loadtest.policy.measure import Case, Effort, Timing
from loadtest.policy.report import Measurement
from loadtest.policy.report import as_plain as plain_policy
from loadtest.report.page import headline
from loadtest.report.result import Origin, Result, keep, kept, result_of
from loadtest.report.studies import STUDIES
from loadtest.report.write import INDEX, write_report
from loadtest.search.cases import CASES
from loadtest.search.findings import SearchFindings
from loadtest.search.measure import EXPORTER, SIDES
from loadtest.search.report import plain as plain_search
from loadtest.search.report import standing
from loadtest.verdict import Verdict
from schema.clickhouse.index_profiles import Profile

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

    delay, late, wrong = made(
        "freshness", {**plain_freshness(freshness), "goal_seconds": GOAL_SECONDS}
    ).findings.headline()
    [none_wrong] = made("faults", plain_faults(faults)).findings.headline()

    assert (delay.met, late.met, wrong.measured, wrong.met) == (True, True, "3", False)
    assert (none_wrong.measured, none_wrong.met) == ("0", True)


def test_the_search_study_is_shown_by_profile_and_by_frequency() -> None:
    slow_exporter = {(case, side): [100.0 if side == EXPORTER else 1.0] for case in CASES for side in SIDES}
    standings = [standing(slow_exporter, profile) for profile in Profile]

    result = made("search", {**plain_search(slow_exporter, standings), "records": 1000})

    assert [row.met for row in result.findings.headline()] == [True] * 6
    assert isinstance(result.findings, SearchFindings)
    shown = result.findings.by_frequency()
    assert {side: shown[side]["rare"] for side in shown} == pytest.approx({"exporter": 100, "text": 1, "tokenbf": 1})


def test_reading_much_is_shown_by_direction_and_by_client() -> None:
    passes = tuple(Pass(order, 20, 2000, 0, 0, 10.0, 20, 16.0) for order in ("desc", "asc"))
    growth = Growth("slow", 10, 20, 2.0, 3 * 2**20, True)

    paging = made("paging", plain_paging(PagingReport(2000, 2000, 5, passes)))
    export = made("export", plain_export(ExportReport(10, (growth,))))

    assert [row.met for row in paging.findings.headline()] == [True, False, True, False]
    assert [row.measured for row in export.findings.headline()] == ["3 MiB"]


def test_studies_without_goals_show_what_they_found() -> None:
    timings = [
        Timing(name, Case(1000, 0.9, True), microseconds, speedup)
        for name, microseconds, speedup in ((CHOSEN, 5.0, 200.0), (BASELINE, 1000.0, 1.0))
    ]
    texts = {"real lines": Likeness(100, 6.0, 1000.0, ()), "lines": Likeness(100, 3.0, 900.0, ())}

    policy = made("policy", plain_policy(Measurement(Effort(10, 1, 1), timings, [], [])))
    corpus = made("corpus", {"passed": True, "texts": plain_corpus(texts)})

    assert [(row.measured, row.met) for row in policy.findings.headline()] == [("200", None)]
    assert [row.measured for row in corpus.findings.headline()] == ["0.90", "0.50"]


def test_two_services_of_one_study_stand_beside_each_other(tmp_path: Path) -> None:
    answers = Answers(Counter({200: 4, 503: 2}), 0, 1.5)
    for service in ("kafka", "clickhouse"):
        keep(made("outage", plain_outage(OutageReport(service, 60, 200, 500, answers, 12.0, lost(0)))), tmp_path)

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
