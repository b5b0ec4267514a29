"""The part-count study as a page with pictures, and as plain values."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kit.settings import Settings
from loadtest.chart import Axis, lines
from loadtest.machine import Machine
from loadtest.parts.layout import COHORTS, PARTS_PER_LANE, TENANTS, Filled, Layout
from loadtest.parts.measure import CONCURRENT
from loadtest.parts.run import GOAL, Level, growth, ratio

_PAGE: Final = """\
# Planning time and the number of parts

Written by `{command}`. {machine}.

Searches read two parts of a few rows, so their CPU is nearly all planning. The same {tenants} tenants a day fill a node
in three layouts: **lanes** of at most {per_lane:,} parts each with a partition a tenant and day, **one table** with the
same partitions, and one table with a partition a **cohort** and day ({cohorts} cohorts instead of {tenants} tenants),
which has that many fewer parts. Tables have no skip indexes; merges are off. Waits and CPU are medians per search from
ClickHouse's query log; start-up is a restart of the server until it answers, then its resident memory.

Each number of parts is compared with a second node that has the fewest of the study, asked in turn with the first: what
else the machine does falls on both. The first line of a layout compares two nodes of as many parts: what is not 1 there
is the noise.

{ratios}

The lanes here are as many as it takes: {lanes} of {per_lane:,} parts at {most:,} pairs. `LOGSIEVE_LANES` is {default}
unless it is set, and `logsieve doctor` warns of a lane from 10,000 parts on, so a node as it is installed does not have
these lanes. Lanes of more parts were not measured; what a table of more parts costs, the one table shows.

![CPU of a search over parts](parts.svg)

![Start-up over parts](parts-start.svg)

Times are in ms; the last three are waits for the locks of shared parts, of parts and of the context.

| layout | (tenant, day) pairs | parts | at once | p50 | p99 | CPU | beside | times | shared | parts | context |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}

| layout | parts of the node | start-up, s | resident, MiB |
| --- | ---: | ---: | ---: |
{starts}
"""


def as_plain(levels: Sequence[Level]) -> dict[str, Any]:
    """For `--json`; passed when lanes keep the goal with one search at a time."""
    lanes = ratio(levels, Layout.lanes, 1)
    return {
        "passed": lanes is None or lanes <= GOAL,
        "goal": GOAL,
        "ratios": {layout.name: ratio(levels, layout, 1) for layout in Layout},
        "levels": [{**dataclasses.asdict(level), "layout": level.layout.name} for level in levels],
    }


def write_page(levels: Sequence[Level], machine: Machine, command: str, folder: Path) -> None:
    """`parts.md` and its pictures."""
    own = {layout: [level for level in levels if level.layout is layout] for layout in Layout}
    shown = {layout: found for layout, found in own.items() if found}
    lines(
        folder / "parts.svg",
        "CPU of a search that reads two parts",
        Axis("(tenant, day) pairs on the node", logarithmic=True),
        Axis("times that on the node beside it", logarithmic=True),
        {layout.value: [(level.pairs, growth(level, 1)) for level in found] for layout, found in shown.items()},
    )
    lines(
        folder / "parts-start.svg",
        "Start-up of the server",
        Axis("(tenant, day) pairs on the node", logarithmic=True),
        Axis("s"),
        {layout.value: [(level.pairs, level.start_seconds) for level in found] for layout, found in shown.items()},
    )
    most = max(level.pairs for level in levels)
    page = _PAGE.format(
        command=command,
        machine=machine.line(),
        tenants=TENANTS,
        cohorts=COHORTS,
        per_lane=PARTS_PER_LANE,
        lanes=Filled(Layout.lanes, most).tables,
        most=most,
        default=Settings.model_fields["lanes"].default,
        ratios="\n".join(_ratios(shown)),
        rows="\n".join(_rows(levels)),
        starts="\n".join(
            f"| {level.layout.value} | {level.active_parts:,} | {level.start_seconds:.1f} |"
            f" {level.resident_bytes / 2**20:,.0f} |"
            for level in levels
        ),
    )
    (folder / "parts.md").write_text(page)


def _ratios(shown: dict[Layout, list[Level]]) -> list[str]:
    told = []
    for layout, found in shown.items():
        most, fewest = found[-1], found[0]
        if len(found) == 1:
            continue
        goal = f" (goal, with one at a time: at most {GOAL})" if layout is Layout.lanes else ""
        told.append(
            f"- {layout.value}: with {_listed(CONCURRENT, 'd')} searches at once {_growths(most)} times the CPU at"
            f" {most.pairs:,} pairs of that at {fewest.pairs:,} beside it{goal}; at {fewest.pairs:,} it is"
            f" {_growths(fewest)} times."
        )
    return told


def _growths(level: Level) -> str:
    return _listed([growth(level, concurrent) for concurrent in CONCURRENT], ".2f")


def _listed(numbers: Sequence[float], form: str) -> str:
    *most, last = (format(number, form) for number in numbers)
    return f"{', '.join(most)} and {last}" if most else last


def _rows(levels: Sequence[Level]) -> list[str]:
    told = []
    for level in levels:
        for each, beside in zip(level.planning, level.beside, strict=True):
            times = (each.p50, each.p99, each.planning_cpu, beside.planning_cpu)
            waits = (each.shared_parts_lock, each.parts_lock, each.context_lock)
            cells = (
                *(level.layout.value, f"{level.pairs:,}", f"{level.active_parts:,}", str(each.concurrent)),
                *(f"{seconds * 1000:.2f}" for seconds in times),
                f"{growth(level, each.concurrent):.2f}",
                *(f"{seconds * 1000:.2f}" for seconds in waits),
            )
            told.append("| " + " | ".join(cells) + " |")
    return told
