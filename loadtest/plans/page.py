"""The comparison as a page with a picture."""

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from loadtest.chart import Axis, bars
from loadtest.plans.known_case import known_case
from loadtest.plans.report import PageCost, PlansReport

_FREQUENCIES: Final = ("frequent", "rare", "absent", "combined")
_PLACEMENTS: Final = {"local": ("on one node", "One node"), "two shards": ("on two shards", "Two shards")}
_PICTURED: Final = (
    "exporter, plain (today)",
    "signoz, own (today)",
    "clickstack, own (today)",
    "logsieve tokenbf, in_order (today)",
    "logsieve tokenbf, auto (today)",
    "logsieve text, auto (today)",
)
"""Sides on one node."""

_INTRODUCTION: Final = """\
# Which plan finds a page

Written by `{command}`: {rows:,} records of 4 KB ([the corpus](corpus.md)), one tenant, one day; rounds: {rounds}.
{machine}

The newest 100 records with words that half of all records have (frequent), one in 2,000 or fewer (rare), none
(absent), or two at once (combined), both where there are many to find and where there are none. Every side takes its
turn in every round, in random order, and has to find the same number of records. Times are the server's own, from
`system.query_log`, all statements of a page together, those of the planner among them; medians of the rounds,
geometric means over the searches of a frequency. Every page has all columns.

- **plain**: one `SELECT * … ORDER BY … LIMIT`. **lazy**: the same with lazy materialization alone switched on.
  **rewrite**: `WHERE key IN (SELECT key … ORDER BY … LIMIT)`. **own**: as the layout's product asks, in its windows and
  with its settings. **in_order**, **two_phase**, **windowed**, **auto**: our [plans](../search.md#plans).
- **2024**: without lazy materialization, skip indexes for top-k, dynamic top-k filtering, skip indexes on data read and
  for disjunctions. **today**: the server's defaults. Neither remembers conditions between queries.
- **exporter**: OpenTelemetry's ClickHouse exporter before April 2026; **signoz**: logs_v2, asked by `hasToken` though
  its interface also sends slower conditions; **clickstack**: otel_logs with text indexes.
"""


def write_page(report: PlansReport, command: str, machine: str, folder: Path) -> None:
    """Writes `plans.md` and its picture. Raises InvalidRequest without matplotlib."""
    local = _by_words(report, "local")
    bars(
        folder / "plans.svg",
        "Newest 100 of 4 KB by how frequent the words are",
        Axis("ms", logarithmic=True),
        _FREQUENCIES,
        {side: _by_frequency([each for each in local if each.side == side]) for side in _PICTURED},
    )
    (folder / "plans.md").write_text("\n".join(page_lines(report, command, machine)) + "\n")


def page_lines(report: PlansReport, command: str, machine: str) -> Iterator[str]:
    yield _INTRODUCTION.format(command=command, rows=report.records, rounds=report.rounds, machine=f"{machine}.")
    yield "![Milliseconds of a page by how frequent its words are](plans.svg)\n"
    yield "## Ours as shipped against the exporter's table with one plain query of today\n"
    yield "| rows are | profile | times as fast | goal |\n| --- | --- | ---: | --- |"
    for each in report.goals:
        goal = "none" if each.goal is None else f"{each.goal:g}, {'reached' if each.met else 'missed'}"
        yield f"| {_PLACEMENTS[each.placement][0]} | {each.profile} | {each.ratio:.1f} | {goal} |"
    yield from known_case(report.known_case)
    for placement, (_, title) in _PLACEMENTS.items():
        yield f"\n## {title}\n"
        yield (
            "Milliseconds by frequency; memory is the most of any search, rows, bytes and granules are averages over"
            " them.\n"
        )
        yield f"| side | {' | '.join(_FREQUENCIES)} | all | memory, MiB | rows | MiB | granules | statements |"
        yield "| --- |" + " ---: |" * (len(_FREQUENCIES) + 6)
        pages = _by_words(report, placement)
        for side in dict.fromkeys(each.side for each in pages):
            yield _row(side, [each for each in pages if each.side == side])


def _by_words(report: PlansReport, placement: str) -> list[PageCost]:
    """Returns the searches by words alone, without those of the known case."""
    known = {each.query for each in report.known_case}
    return [each for each in report.pages if each.placement == placement and each.query not in known]


def _row(side: str, pages: Sequence[PageCost]) -> str:
    by_frequency = _by_frequency(pages)
    return (
        f"| {side} | {' | '.join(f'{each:,.1f}' for each in by_frequency)} |"
        f" {statistics.geometric_mean(by_frequency):,.1f} | {max(each.memory for each in pages) / 2**20:,.0f} |"
        f" {statistics.mean(each.rows_read for each in pages):,.0f} |"
        f" {statistics.mean(each.bytes_read for each in pages) / 2**20:,.1f} |"
        f" {statistics.mean(each.granules for each in pages):,.0f} |"
        f" {statistics.mean(each.statements for each in pages):,.1f} |"
    )


def _by_frequency(pages: Sequence[PageCost]) -> list[float]:
    """Returns milliseconds for each frequency: geometric means over the searches."""
    return [
        statistics.geometric_mean([each.seconds * 1_000 for each in pages if each.words == words])
        for words in _FREQUENCIES
    ]
