"""Declares `logsieve loadtest parts`: its options, results and goals. A killed study can be continued."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, lines
from loadtest.report.report import Part, Picture, Report, Row, Table, at_most
from loadtest.study import Home, Smoke, Study

GOAL: Final = 1.2
"""Largest permitted ratio of planning CPU at the most parts to that at the fewest parts, for layouts of lanes."""
LAYOUTS: Final = {
    "installed": "lanes with skip indexes, (tenant, day)",
    "lanes": "lanes, (tenant, day)",
    "one_table": "one table, (tenant, day)",
    "cohorts": "one table, (cohort, day)",
}
"""Names of layouts, each with its description on pages: the tables, and what a partition contains."""
_JUDGED: Final = ("installed", "lanes")
_NUMBERS: Final = (1_000, 30_000, 160_000)
_SMOKE: Final = (1_000, 2_000)


class Planning(Part):
    """Measurements of searches of which `concurrent` ran at the same time, in seconds.

    `p50` and `p99` are percentiles of the server's query duration. CPU and lock waits are medians over searches, each
    summed over the search's threads. `planning_cpu` is the CPU time of a whole search, which is nearly all planning,
    because the search reads two tiny parts.
    """

    concurrent: int
    p50: float
    p99: float
    planning_cpu: float
    shared_parts_lock: float
    parts_lock: float
    context_lock: float


class Level(Part):
    """Measurements of a layout with a number of (tenant, day) pairs.

    `beside` has the same measurements of a separate node, which has the study's fewest pairs, or a node's share of
    these. Measurements alternated between the nodes. If the pairs are divided over several nodes, `planning` is that of
    the node with the most CPU, and bytes and parts are sums.
    """

    layout: str
    pairs: int
    nodes: int = 1
    active_parts: int
    planning: tuple[Planning, ...]
    beside: tuple[Planning, ...]
    start_seconds: float
    """Seconds from the start of the command that starts the server until it answers."""
    resident_bytes: int

    @property
    def growths(self) -> tuple[float, ...]:
        """Ratios of planning CPU to that of the node with the fewest pairs, in the order of `planning`."""
        both = zip(self.planning, self.beside, strict=True)
        return tuple(each.planning_cpu / beside.planning_cpu for each, beside in both)


class PartsReport(Report):
    levels: tuple[Level, ...]
    """For each layout, from the fewest pairs to the most."""

    @property
    def variant(self) -> str:
        """Layout and nodes, if the only layout is that of installed tables."""
        if list(self._by_layout()) != ["installed"]:
            return ""
        nodes = self.levels[0].nodes
        return "installed" if nodes == 1 else f"installed-{nodes}-nodes"

    def extent(self) -> dict[str, float]:
        return {f"{LAYOUTS[each.layout]} with {each.pairs:,} pairs": 1 for each in self.levels}

    def headline(self) -> tuple[Row, ...]:
        """Returns the growth at the most pairs, for the lowest concurrency, of each layout with several levels."""
        rows = []
        for layout, (fewest, *others) in self._by_layout().items():
            if not others:
                continue
            most, nodes = others[-1], f", {fewest.nodes} nodes" if fewest.nodes > 1 else ""
            what = (
                f"{LAYOUTS[layout]}{nodes}: CPU of planning at {most.pairs:,} (tenant, day) pairs over {fewest.pairs:,}"
            )
            growth = most.growths[0]
            rows.append(at_most(what, growth, GOAL) if layout in _JUDGED else Row(what, f"{growth:.2f}"))
        return tuple(rows)

    def tables(self) -> tuple[Table, ...]:
        waits = ("shared parts", "parts", "context")
        starts = tuple(
            (
                LAYOUTS[each.layout],
                f"{each.active_parts:,}",
                f"{each.start_seconds:.1f}",
                f"{each.resident_bytes / 2**20:,.0f}",
            )
            for each in self.levels
        )
        return (
            Table(
                "Times in ms; the last three are waits for locks",
                ("layout", "pairs", "parts", "at once", "p50", "p99", "CPU", "beside", "times", *waits),
                tuple(cells for level in self.levels for cells in _cells(level)),
            ),
            Table("Start-up", ("layout", "parts of the node", "start-up, s", "resident, MiB"), starts),
        )

    def pictures(self) -> tuple[Picture, ...]:
        if self.variant:
            return ()
        times = Axis("times that on the node beside it", logarithmic=True)
        return (
            self._picture("parts.svg", "CPU of a search that reads two parts", times, lambda level: level.growths[0]),
            self._picture("parts-start.svg", "Start-up of the server", Axis("s"), lambda level: level.start_seconds),
        )

    def _picture(self, name: str, title: str, y: Axis, value: Callable[[Level], float]) -> Picture:
        pairs = Axis("(tenant, day) pairs on the node", logarithmic=True)
        series = {
            LAYOUTS[layout]: [(each.pairs, value(each)) for each in levels]
            for layout, levels in self._by_layout().items()
        }
        return Picture(name, f"{title} over parts", partial(lines, title=title, x=pairs, y=y, series=series))

    def _by_layout(self) -> dict[str, list[Level]]:
        found: dict[str, list[Level]] = {}
        for each in self.levels:
            found.setdefault(each.layout, []).append(each)
        return found


def _cells(level: Level) -> Iterator[tuple[str, ...]]:
    for each, beside, growth in zip(level.planning, level.beside, level.growths, strict=True):
        times = (each.p50, each.p99, each.planning_cpu, beside.planning_cpu)
        waits = (each.shared_parts_lock, each.parts_lock, each.context_lock)
        yield (
            *(LAYOUTS[level.layout], f"{level.pairs:,}", f"{level.active_parts:,}", str(each.concurrent)),
            *(f"{seconds * 1000:,.2f}" for seconds in times),
            f"{growth:.2f}",
            *(f"{seconds * 1000:.2f}" for seconds in waits),
        )


def run(
    bench: Bench,
    numbers: Annotated[
        str | None,
        typer.Option(
            "--parts",
            help="Numbers of (tenant, day) pairs, separated by commas: multiples of 1,000 for each node."
            " Default: 1000,30000,160000, rounded up to such multiples.",
        ),
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(help="Measure only this layout: installed, lanes, one_table or cohorts; may be repeated."),
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, max=4, help="ClickHouse nodes over which the pairs are divided.")] = 1,
    folder: Home = None,
    smoke: Smoke = False,
) -> PartsReport:
    """Measure planning time, lock waits, CPU, start-up and memory over the number of parts, with lanes and without.

    If it is interrupted, run it again: it continues where it stopped.
    """
    import psutil

    from loadtest.journal import Journal
    from loadtest.own_stack import applying
    from loadtest.parts.layout import PARTS_PER_LANE, Layout
    from loadtest.parts.measure import CONCURRENT, FEW_CONCURRENT
    from loadtest.parts.run import MEMORY_SHARE, Comparison, run_levels, services
    from loadtest.services import CLICKHOUSE

    unit = PARTS_PER_LANE * nodes
    try:
        chosen = tuple(number * nodes for number in _SMOKE) if smoke else _multiples(numbers, unit)
        layouts = tuple(Layout(name) for name in layout or LAYOUTS)
    except ValueError as error:
        raise typer.BadParameter(f"{error}: neither a number of parts nor one of {', '.join(LAYOUTS)}") from None
    if any(number < unit or number % unit for number in chosen):
        raise typer.BadParameter(f"numbers of parts are multiples of {unit}")
    home = (folder or bench.home / "parts").resolve()
    comparison = Comparison(chosen, layouts, nodes, FEW_CONCURRENT if smoke else CONCURRENT)
    journal = Journal(home / "levels.jsonl", repr((comparison, applying())), bench.commit, Level)
    settings = {
        "LOGSIEVE_CLICKHOUSE_MEMORY_LIMIT": str(int(psutil.virtual_memory().total * MEMORY_SHARE / nodes)),
        "LOGSIEVE_CLICKHOUSE_NODES": str(nodes),
    }
    with ExitStack() as stacks:
        growing = stacks.enter_context(bench.stack_in(home / "growing", *services(nodes), settings=settings))
        # In a small run, one server is both nodes, because its ratios mean nothing.
        beside = growing if smoke else stacks.enter_context(bench.stack_in(home / "beside", CLICKHOUSE))
        bench.found_server(growing.server_version())
        levels = run_levels(bench, growing, beside, comparison, journal)
    bench.after_result.append(journal.remove)
    return PartsReport(smoke=smoke, levels=tuple(levels))


def _multiples(numbers: str | None, unit: int) -> tuple[int, ...]:
    """Returns the numbers in the text. Without a text, returns _NUMBERS, rounded up to multiples of `unit`."""
    if numbers is None:
        return tuple(-(-number // unit) * unit for number in _NUMBERS)
    return tuple(map(int, numbers.split(",")))


STUDY: Final = Study(
    "parts",
    "Planning time and the number of parts",
    PartsReport,
    run,
    smoke=("--smoke", "--layout", "lanes"),
    takes_seed=False,
)
