"""Tests that results keep reports, that pages are made from results, and that equal results give equal pages."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from kit.errors import Conflict, InvalidRequest
from kit.folders import PACKAGES
from loadtest.fairness.study import FairnessReport, Latencies
from loadtest.faults.study import FaultReport, Recovery
from loadtest.ingest.study import Cost, IngestReport, SizeResult
from loadtest.policy.study import PolicyReport, RequestCost
from loadtest.report.page import index_row
from loadtest.report.report import Report
from loadtest.report.result import Origin, Result, keep, kept, result_of
from loadtest.report.write import INDEX, write_report
from loadtest.studies import STUDIES

ORIGIN = Origin(command="logsieve loadtest …", day=date(2026, 1, 2), commit="abc", machine="2 cores")
PAGES = PACKAGES / "docs" / "benchmarks"


def result(study: str, report: Report) -> Result:
    """Returns the result that is read from the line of JSON that the study's command would print."""
    read = result_of(study, json.dumps(report.model_dump(mode="json")), ORIGIN)
    assert read.report == report
    return read


def size_result(record_bytes: int, cpu_seconds: float) -> SizeResult:
    def cost(process: str, seconds: float) -> Cost:
        return Cost(bytes=1000 * record_bytes, cpu_seconds={process: seconds})

    logsieve, native = cost("loader", cpu_seconds), cost("clickhouse", 1.2)
    return SizeResult(record_bytes=record_bytes, stored=1000, doubled=0, logsieve=logsieve, native=native)


def test_a_size_that_misses_its_goal_fails_the_run() -> None:
    report = IngestReport(sizes=(size_result(4096, 2.0), size_result(300, 4.0)), seconds=20)

    large, small = result("ingest", report).report.headline()

    assert (large.measured, large.goal, large.met) == ("0.60", "at least 0.5", True)
    assert (small.measured, small.met) == ("0.30", False)
    assert not report.passed


def test_a_size_of_which_rows_are_missing_misses_its_goal() -> None:
    """Tests that a record size fails if fewer rows are stored than were sent."""
    whole = size_result(4096, 2.0)

    assert IngestReport(sizes=(whole,), seconds=20).passed
    assert not IngestReport(sizes=(whole.model_copy(update={"stored": 999}),), seconds=20).passed
    assert not IngestReport(sizes=(whole.model_copy(update={"doubled": 1}),), seconds=20).passed


def test_lost_records_are_a_missed_goal() -> None:
    recovery = Recovery(target="kafka", acknowledged_after=4.0, searchable_after=6.0)
    good = FaultReport(kills={"kafka": 2}, pauses=3, cuts=4, acknowledged=900, recoveries=(recovery,))

    [none_wrong] = result("faults", good).report.headline()
    [wrong] = good.model_copy(update={"lost": 3}).headline()

    assert (none_wrong.measured, none_wrong.met) == ("0", True)
    assert (wrong.measured, wrong.met) == ("3", False)


def test_rules_that_cost_too_much_are_a_missed_goal() -> None:
    within = RequestCost(rules=100, same_order=True, hit_share=0.01, without=1.0, with_rules=1.15, ratio=1.15)
    beyond = within.model_copy(update={"ratio": 1.25})
    others = RequestCost(rules=1000, same_order=True, hit_share=0.1, without=1.0, with_rules=9.0, ratio=9.0)

    good, bad = (result("policy", PolicyReport(requests=(each, others))).report for each in (within, beyond))

    assert [(row.measured, row.met) for row in good.headline()] == [("1.15", True)]
    assert [(row.measured, row.met) for row in bad.headline()] == [("1.25", False)]


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    alone, beside = (Latencies(requests=10, p50=0.01, p99=p99) for p99 in (0.02, 0.05))
    fairness = result("fairness", FairnessReport(alone=alone, beside=beside, flood={"200": 3, "429": 7}))

    keep(fairness, tmp_path)

    assert kept(tmp_path) == [fairness]
    [row] = fairness.report.headline()
    assert (row.measured, row.met) == ("2.50", False)


def test_a_small_run_replaces_no_full_one(tmp_path: Path) -> None:
    calm = Latencies(requests=10, p50=0.01, p99=0.02)
    full = FairnessReport(alone=calm, beside=calm, flood={"200": 3})
    small = full.model_copy(update={"smoke": True})
    for report in (small, small, full):
        keep(result("fairness", report), tmp_path)
    with pytest.raises(Conflict, match="another folder"):
        keep(result("fairness", small), tmp_path)
    assert [each.report.smoke for each in kept(tmp_path)] == [False]


def shortened(findings: object, name: str) -> object:
    """Returns the findings with only the first element of the list `name`."""
    assert isinstance(findings, dict)
    return {**findings, name: findings[name][:1]}


@pytest.mark.parametrize(
    ("study", "part", "lost"),
    [
        ("hostile", "attacks", "the same from three tenants at once: 0 instead of 1"),
        ("ingest", "sizes", "seconds of records of 300 bytes: 0 instead of 20"),
        ("parts", "levels", "with 160,000 pairs: 0 instead of 1"),
        ("patterns", "accuracy", "BGL: 0 instead of 1"),
        ("peers", "sides", "VictoriaLogs: 0 instead of 1"),
    ],
)
def test_a_part_of_a_run_replaces_no_whole_one(study: str, part: str, lost: str, tmp_path: Path) -> None:
    """Tests that a run of fewer attacks, sizes, levels, systems or stores leaves the result of the whole run."""
    for whole in (each for each in kept(PAGES) if each.study.name == study):
        fewer = whole.study.report.model_validate(shortened(whole.report.model_dump(mode="json"), part))
        smaller = replace(whole, report=fewer)
        folder = tmp_path / whole.file_name
        folder.mkdir()
        for each in (smaller, whole, whole):
            keep(each, folder)

        with pytest.raises(Conflict, match=rf"{lost}.*or delete the file"):
            keep(smaller, folder)

        assert kept(folder) == [whole]


def test_a_run_of_fewer_kills_replaces_none_of_more(tmp_path: Path) -> None:
    many = FaultReport(kills={"kafka": 2, "loader": 2}, pauses=0, acknowledged=900)
    few = many.model_copy(update={"kills": {"kafka": 3}})
    keep(result("faults", many), tmp_path)

    with pytest.raises(Conflict, match="kills: 3 instead of 4"):
        keep(result("faults", few), tmp_path)

    (tmp_path / "results" / "faults.json").unlink()
    keep(result("faults", few), tmp_path)


def test_a_result_of_an_outdated_format_is_replaced(tmp_path: Path) -> None:
    full = result("faults", FaultReport(kills={"kafka": 2}, pauses=0, acknowledged=900))
    keep(full, tmp_path)
    file = tmp_path / "results" / "faults.json"
    file.write_text(file.read_text().replace('"kills"', '"killed"'))

    keep(full, tmp_path)

    assert kept(tmp_path) == [full]


def test_a_line_of_another_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no line of `logsieve loadtest tail --json`"):
        result_of("tail", json.dumps({"passed": True, "sizes": []}), ORIGIN)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "odd.json").write_text('{"study": "tail"}')
    with pytest.raises(InvalidRequest, match="is no result of a study"):
        kept(tmp_path)


def test_studies_without_a_result_are_said_to_be_not_run(tmp_path: Path) -> None:
    write_report(tmp_path)

    table = (tmp_path / INDEX).read_text()
    assert all(f"| not run yet: `logsieve loadtest {name}` | | | |" in table for name in STUDIES)


def test_the_index_counts_the_met_goals_of_all_results() -> None:
    good, bad = (
        IngestReport(sizes=(size_result(4096, cpu_seconds), size_result(300, 2.0)), seconds=20)
        for cpu_seconds in (2.0, 4.0)
    )
    results = [result("ingest", report) for report in (good, bad)]

    row = index_row(STUDIES["ingest"], results)

    first = good.headline()[0]
    assert row.endswith(f"| {first.what} | {first.measured} | {first.goal} | 3 of 4 |")


def test_what_was_kept_says_whether_it_passed_as_it_did_then() -> None:
    """Tests that each stored result still passes or fails as at the time of its measurement."""
    for file in sorted((PAGES / "results").iterdir()):
        stored = json.loads(file.read_text())
        assert STUDIES[stored["study"]].report.model_validate(stored["findings"]).passed is stored["findings"]["passed"]


def test_the_pages_in_the_docs_are_those_of_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that pages of docs/benchmarks equal those made from the stored results, each of which has its own file.

    Fails if a page was edited by hand, or not written again after a change of a result or a method.md.
    """
    (tmp_path / "results").mkdir()
    for file in (PAGES / "results").iterdir():
        (tmp_path / "results" / file.name).write_text(file.read_text())

    # Makes all figures and renders none, which would take 5 s. The next test renders one.
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda _figure, file, **_: file.touch())
    written = write_report(tmp_path)

    assert {file.name: (PAGES / file.name).read_text() for file in written} == {
        file.name: file.read_text() for file in written
    }
    assert {file.name for file in tmp_path.glob("*.svg")} == {file.name for file in PAGES.glob("*.svg")}
    assert {each.file_name for each in kept(PAGES)} == {file.name for file in (PAGES / "results").iterdir()}


def test_a_picture_is_the_same_when_it_is_drawn_again(tmp_path: Path) -> None:
    [search] = [each.report for each in kept(PAGES) if each.study.name == "search"]
    drawn = []
    for picture in search.pictures()[1:] * 2:
        picture.draw(tmp_path / picture.name)
        drawn.append((tmp_path / picture.name).read_bytes())
    assert len(drawn) == 2
    assert drawn[0] == drawn[1]


def test_the_readme_shows_a_picture_that_is_there() -> None:
    """Tests that README.md shows the summary picture, and that the picture is an SVG file."""
    assert "](docs/benchmarks/summary.svg)" in (PACKAGES / "README.md").read_text()
    assert (PAGES / "summary.svg").read_text().startswith("<?xml")
