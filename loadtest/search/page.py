"""The measurement as a page of docs/benchmarks with its picture; no number in it is written by hand."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.store.plans.plan import Plan
from loadtest.chart import Axis, bars
from loadtest.corpus.rows import Corpus
from loadtest.machine import Machine
from loadtest.percentile import percentile
from loadtest.search.cases import CASES, Case
from loadtest.search.measure import EXPORTER, PAGE_ROWS, Side, Timings
from loadtest.search.report import AUTO_OVER_BEST, GOALS, Standing
from schema.clickhouse.index_profiles import Profile

NAME: Final = "search"


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that the page tells."""

    command: str
    corpus: Corpus
    rounds: int
    timings: Timings
    standings: Sequence[Standing]
    machine: Machine


def write_page(outcome: Outcome, folder: Path) -> None:
    """`search.md` and `search.svg`. Raises InvalidRequest without matplotlib."""
    sides = {"exporter's table": EXPORTER} | {f"{each}, auto": Side(each, Plan.auto) for each in Profile}
    bars(
        folder / f"{NAME}.svg",
        f"Newest {PAGE_ROWS} of {outcome.corpus.rows:,} records of 4 KB, median",
        Axis("ms", logarithmic=True),
        [f"{case.words}\n{case.rows}" for case in CASES],
        {name: [statistics.median(outcome.timings[case, side]) for case in CASES] for name, side in sides.items()},
    )
    (folder / f"{NAME}.md").write_text(page(outcome))


def page(outcome: Outcome) -> str:
    """Markdown."""
    standings = "".join(_standing(each) for each in outcome.standings)
    tables = "".join(_table(words, outcome.timings) for words in dict.fromkeys(case.words for case in CASES))
    return f"""\
# How fast a page of search results is

Written by `{outcome.command} --write docs/benchmarks`: {outcome.corpus.rows:,} records of 4 KB of one tenant and day
([the corpus](corpus.md), with planted words), {outcome.rounds} rounds. {outcome.machine.line()}.

A page is the newest {PAGE_ROWS} records, from query text to API records, one client at a time; the other side is one
`SELECT * … ORDER BY Timestamp DESC LIMIT {PAGE_ROWS}` over the table of OpenTelemetry's ClickHouse exporter, on the
same server and records. Sides take turns in random order. Ratios are of medians, geometric means over all cases; p95 is
that of the slowest case; the best plan is the fastest forced one of each case.

| profile | times as fast (goal) | p95, ms (goal) | auto over best plan (goal) | |
| --- | ---: | ---: | ---: | --- |
{standings}
![Median by case](search.svg)
{tables}"""


def _standing(each: Standing) -> str:
    goal = GOALS[each.profile]
    return (
        f"| {each.profile} | {each.ratio:.1f} ({goal.ratio:g}) | {each.p95_ms:.0f} ({goal.p95_ms:g}) |"
        f" {each.auto_over_best:.2f} ({AUTO_OVER_BEST:g}) | {'met' if each.passed else 'missed'} |\n"
    )


def _table(words: str, timings: Timings) -> str:
    """The cases of one class of words: medians, with the 95th percentile in brackets."""
    cases = [case for case in CASES if case.words == words]
    plans = [(profile, plan) for profile in Profile for plan in Plan]
    head = "".join(f" `{case.query}` |" for case in cases)
    rows = [f"| exporter's table |{_cells(cases, EXPORTER, timings)}\n"]
    rows += [f"| {profile}, {plan} |{_cells(cases, Side(profile, plan), timings)}\n" for profile, plan in plans]
    return (
        f"\n## {words.capitalize()} words\nMilliseconds, median (p95).\n\n"
        f"| |{head}\n| --- |{' ---: |' * len(cases)}\n{''.join(rows)}"
    )


def _cells(cases: Sequence[Case], side: Side, timings: Timings) -> str:
    return "".join(
        f" {statistics.median(timings[case, side]):,.1f} ({percentile(timings[case, side], 0.95):,.1f}) |"
        for case in cases
    )
