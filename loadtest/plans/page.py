"""The comparison as a page with a picture."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.store.plans.plan import Plan
from loadtest.chart import Axis, bars
from loadtest.machine import Machine
from loadtest.plans.known_case import known_case
from loadtest.plans.measure import Measured, Study
from loadtest.plans.query_log import Cost
from loadtest.plans.report import known_steps, standings, typical
from loadtest.plans.sides import Engine, Placement, Side, Way, baseline, ours, product, sides
from schema.clickhouse.index_profiles import Profile

_FREQUENCIES: Final = ("frequent", "rare", "absent", "combined")

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that the page tells."""

    command: str
    rows: int
    study: Study
    machine: Machine
    measured: Measured


def write_page(outcome: Outcome, folder: Path) -> None:
    """`plans.md` and its picture."""
    _draw(outcome, folder / "plans.svg")
    (folder / "plans.md").write_text("\n".join(_page(outcome)) + "\n")


def _page(outcome: Outcome) -> list[str]:
    lines = [
        _INTRODUCTION.format(
            command=outcome.command,
            rows=outcome.rows,
            rounds=outcome.study.rounds,
            machine=outcome.machine.line() + ".",
        ),
        "![Milliseconds of a page by how frequent its words are](plans.svg)",
        "",
        "## Ours as shipped against the exporter's table with one plain query of today",
        "",
        "| rows are | profile | times as fast | goal |",
        "| --- | --- | ---: | --- |",
    ]
    for each in standings(outcome.measured, outcome.study.words):
        goal = "none" if each.goal is None else f"{each.goal:g}, {'reached' if each.passed else 'missed'}"
        where = "on one node" if each.placement is Placement.local else "on two shards"
        lines.append(f"| {where} | {each.profile} | {each.ratio:.1f} | {goal} |")
    lines += known_case(known_steps(outcome.measured))
    for placement in Placement:
        lines += _table(outcome, placement)
    return lines


def _table(outcome: Outcome, placement: Placement) -> list[str]:
    lines = [
        "",
        f"## {'One node' if placement is Placement.local else 'Two shards'}",
        "",
        "Milliseconds by frequency; memory is the most of any search, rows, bytes and granules are averages over them.",
        "",
        f"| side | {' | '.join(_FREQUENCIES)} | all | memory, MiB | rows | MiB | granules | statements |",
        "| --- |" + " ---: |" * (len(_FREQUENCIES) + 6),
    ]
    for side in sides(placement):
        by_frequency = [_milliseconds(outcome, side, each) for each in _FREQUENCIES]
        found = _costs(outcome, side)
        lines.append(
            f"| {side.label} | {' | '.join(f'{each:,.1f}' for each in by_frequency)} |"
            f" {statistics.geometric_mean(by_frequency):,.1f} | {max(each.memory for each in found) / 2**20:,.0f} |"
            f" {statistics.mean(each.rows_read for each in found):,.0f} |"
            f" {statistics.mean(each.bytes_read for each in found) / 2**20:,.1f} |"
            f" {statistics.mean(each.granules for each in found):,.0f} |"
            f" {statistics.mean(each.statements for each in found):,.1f} |"
        )
    return lines


def _costs(outcome: Outcome, side: Side, frequency: str | None = None) -> Sequence[Cost]:
    return [
        typical(outcome.measured[question, side])
        for question in outcome.study.words
        if frequency in (None, question.case.words)
    ]


def _milliseconds(outcome: Outcome, side: Side, frequency: str) -> float:
    return statistics.geometric_mean([cost.seconds * 1_000 for cost in _costs(outcome, side, frequency)])


def _draw(outcome: Outcome, file: Path) -> None:
    local = Placement.local
    shown = (
        baseline(local),
        Side(local, "signoz", Way.own, Engine.today),
        Side(local, "clickstack", Way.own, Engine.today),
        Side(local, ours(Profile.tokenbf), Plan.in_order, Engine.today),
        product(local, Profile.tokenbf),
        product(local, Profile.text),
    )
    bars(
        file,
        "Newest 100 of 4 KB by how frequent the words are",
        Axis("ms", logarithmic=True),
        _FREQUENCIES,
        {side.label: [_milliseconds(outcome, side, each) for each in _FREQUENCIES] for side in shown},
    )
