"""The measurement as a page of docs/benchmarks with its picture; no number in it is written by hand."""

from pathlib import Path
from typing import Final

from loadtest.chart import Axis, bars
from loadtest.report.markdown import markdown_table
from loadtest.search.report import EXPORTER, SearchReport

_PAGE: Final = """\
# How fast a page of search results is

Written by `{command} --write docs/benchmarks`: {records:,} records of 4 KB of one tenant and day
([the corpus](corpus.md), with planted words), {rounds} rounds. {machine}.

A page is the newest 100 records, from query text to API records, one client at a time; the other side is one
`SELECT * … ORDER BY Timestamp DESC LIMIT 100` over the table of OpenTelemetry's ClickHouse exporter, on the
same server and records. Sides take turns in random order. Ratios are of medians, geometric means over all cases; p95 is
that of the slowest case; the best plan is the fastest forced one of each case.

| profile | times as fast (goal) | p95, ms (goal) | auto over best plan (goal) | |
| --- | ---: | ---: | ---: | --- |
{standings}

![Median by case](search.svg)
{tables}"""


def write_page(report: SearchReport, command: str, machine: str, folder: Path) -> None:
    """Writes `search.md` and `search.svg`. Raises InvalidRequest without matplotlib."""
    shown = {EXPORTER: "exporter's table"}
    shown |= {f"{each.profile}/auto": f"{each.profile}, auto" for each in report.profiles}
    searches = dict.fromkeys((each.words, each.rows) for each in report.cases)
    bars(
        folder / "search.svg",
        f"Newest 100 of {report.records:,} records of 4 KB, median",
        Axis("ms", logarithmic=True),
        [f"{words}\n{rows}" for words, rows in searches],
        {name: [each.p50_ms for each in report.cases if each.side == side] for side, name in shown.items()},
    )
    (folder / "search.md").write_text(page(report, command, machine))


def page(report: SearchReport, command: str, machine: str) -> str:
    """Returns the page as Markdown."""
    standings = [
        f"| {each.profile} | {each.ratio:.1f} ({each.goal.ratio:g}) | {each.p95_ms:.0f} ({each.goal.p95_ms:g}) |"
        f" {each.auto_over_best:.2f} ({report.auto_over_best_goal:g}) |"
        f" {'met' if all(row.met for row in report.rows_of(each)) else 'missed'} |"
        for each in report.profiles
    ]
    return _PAGE.format(
        command=command,
        machine=machine,
        records=report.records,
        rounds=report.rounds,
        standings="\n".join(standings),
        tables="".join(_table(report, words) for words in dict.fromkeys(each.words for each in report.cases)),
    )


def _table(report: SearchReport, words: str) -> str:
    """Returns the searches of one class of words: medians, with the 95th percentile in brackets."""
    own = [each for each in report.cases if each.words == words]
    rows = []
    for side in dict.fromkeys(each.side for each in own):
        name = "exporter's table" if side == EXPORTER else side.replace("/", ", ")
        rows.append((name, *(f"{each.p50_ms:,.1f} ({each.p95_ms:,.1f})" for each in own if each.side == side)))
    head = ("", *(f"`{query}`" for query in dict.fromkeys(each.query for each in own)))
    return f"\n## {words.capitalize()} words\nMilliseconds, median (p95).\n\n{markdown_table(head, rows)}\n"
