"""The part-count study as a page with pictures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kit.settings import Settings
from loadtest.chart import Axis, lines
from loadtest.parts.report import GOAL, LAYOUTS, Level, PartsReport
from loadtest.report.markdown import markdown_table

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

{rows}

{starts}
"""


def write_page(report: PartsReport, command: str, machine: str, folder: Path) -> None:
    """Writes `parts.md` and its pictures. Raises InvalidRequest without matplotlib."""
    from loadtest.parts.layout import COHORTS, PARTS_PER_LANE, TENANTS, Filled, Layout

    own = {layout: [level for level in report.levels if level.layout == layout] for layout in LAYOUTS}
    shown = {LAYOUTS[layout]: levels for layout, levels in own.items() if levels}
    pairs = Axis("(tenant, day) pairs on the node", logarithmic=True)
    lines(
        folder / "parts.svg",
        "CPU of a search that reads two parts",
        pairs,
        Axis("times that on the node beside it", logarithmic=True),
        {name: [(level.pairs, level.growths[0]) for level in levels] for name, levels in shown.items()},
    )
    lines(
        folder / "parts-start.svg",
        "Start-up of the server",
        pairs,
        Axis("s"),
        {name: [(level.pairs, level.start_seconds) for level in levels] for name, levels in shown.items()},
    )
    most = max(level.pairs for level in report.levels)
    page = _PAGE.format(
        command=command,
        machine=machine,
        tenants=TENANTS,
        cohorts=COHORTS,
        per_lane=PARTS_PER_LANE,
        lanes=Filled(Layout.lanes, most).tables,
        most=most,
        default=Settings.model_fields["lanes"].default,
        ratios="\n".join(_ratio(name, levels) for name, levels in shown.items() if len(levels) > 1),
        rows=markdown_table(_HEAD, (row for level in report.levels for row in _rows(level))),
        starts=markdown_table(
            ("layout", "parts of the node", "start-up, s", "resident, MiB"),
            (
                (
                    LAYOUTS[level.layout],
                    f"{level.active_parts:,}",
                    f"{level.start_seconds:.1f}",
                    f"{level.resident_bytes / 2**20:,.0f}",
                )
                for level in report.levels
            ),
        ),
    )
    (folder / "parts.md").write_text(page)


_HEAD: Final = (
    *("layout", "(tenant, day) pairs", "parts", "at once", "p50", "p99", "CPU", "beside", "times"),
    *("shared", "parts", "context"),
)


def _ratio(name: str, levels: Sequence[Level]) -> str:
    fewest, most = levels[0], levels[-1]
    goal = f" (goal, with one at a time: at most {GOAL})" if most.layout == "lanes" else ""
    return (
        f"- {name}: with {_listed([each.concurrent for each in most.planning], 'd')} searches at once"
        f" {_listed(most.growths, '.2f')} times the CPU at {most.pairs:,} pairs of that at {fewest.pairs:,} beside"
        f" it{goal}; at {fewest.pairs:,} it is {_listed(fewest.growths, '.2f')} times."
    )


def _listed(numbers: Sequence[float], form: str) -> str:
    *most, last = (format(number, form) for number in numbers)
    return f"{', '.join(most)} and {last}" if most else last


def _rows(level: Level) -> Iterator[tuple[str, ...]]:
    for each, beside, growth in zip(level.planning, level.beside, level.growths, strict=True):
        times = (each.p50, each.p99, each.planning_cpu, beside.planning_cpu)
        waits = (each.shared_parts_lock, each.parts_lock, each.context_lock)
        yield (
            *(LAYOUTS[level.layout], f"{level.pairs:,}", f"{level.active_parts:,}", str(each.concurrent)),
            *(f"{seconds * 1000:.2f}" for seconds in times),
            f"{growth:.2f}",
            *(f"{seconds * 1000:.2f}" for seconds in waits),
        )
