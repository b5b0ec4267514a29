"""Declares `logsieve loadtest plans`: its options, results and goals."""

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Final

import typer

from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.chart import Axis, bars
from loadtest.report.report import Part, Picture, Report, Row, Table
from loadtest.study import Home, Smoke, Study

_FREQUENCIES: Final = ("frequent", "rare", "absent", "combined")
_PLACEMENTS: Final = {"local": "One node", "two shards": "Two shards"}
_PICTURED: Final = (
    "exporter, plain (today)",
    "signoz, own (today)",
    "clickstack, own (today)",
    "logsieve tokenbf, in_order (today)",
    "logsieve tokenbf, auto (today)",
    "logsieve text, auto (today)",
)
"""Sides in the picture, all on one node."""
_NODES: Final = 2
_SMOKE_ROWS: Final = 1_000


class Standing(Part):
    """Ratio of the time over the exporter's table to the time of a profile as it is shipped.

    `ratio` is the geometric mean over the searches, of the ratios of medians.
    """

    placement: str
    profile: str
    ratio: float
    goal: float | None
    """Smallest permitted ratio. None for two shards, which have no goal."""

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.ratio >= self.goal


class OverShards(Part):
    """Ratios of the time and of the processor time of a page over two shards to those of the same page on one node.

    They are geometric means over the searches, of the ratios of medians.
    """

    profile: str
    way: str
    time_ratio: float
    cpu_ratio: float
    goal: float | None
    """Largest permitted ratio of times. None for a way that is not shipped."""

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.time_ratio <= self.goal


class KnownStep(Part):
    """A step of the known case. `times_faster` is the time of the first step of this search over that of this step."""

    query: str
    side: str
    ms: float
    times_faster: float
    memory: int
    bytes_read: int


class PageCost(Part):
    """Cost of one search on one side: medians over the rounds. `memory` and `bytes_read` are bytes."""

    words: str
    rows: str
    query: str
    placement: str
    layout: str
    way: str
    engine: str
    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    statements: float
    cpu_seconds: float | None = None
    """Processor seconds of all nodes. None in results from before November 2026, which lack them."""

    @property
    def side(self) -> str:
        return f"{self.layout}, {self.way} ({self.engine})"


class PlansReport(Report):
    records: int
    rounds: int
    goals: tuple[Standing, ...]
    over_shards: tuple[OverShards, ...] = ()
    known_case: tuple[KnownStep, ...]
    pages: tuple[PageCost, ...]

    def headline(self) -> tuple[Row, ...]:
        faster = tuple(
            Row(
                f"{each.profile}, {each.placement}: times as fast as the exporter's table with one plain query,"
                f" {self.records:,} records, the server's own times",
                f"{each.ratio:.1f}",
                "" if each.goal is None else f"at least {each.goal:g}",
                each.met,
            )
            for each in self.goals
        )
        return faster + tuple(
            Row(
                f"{each.profile}, two shards, {each.way}: time of a page, as a multiple of one node's (processor time:"
                f" {each.cpu_ratio:.2f})",
                f"{each.time_ratio:.2f}",
                "" if each.goal is None else f"at most {each.goal:g}",
                each.met,
            )
            for each in self.over_shards
        )

    def tables(self) -> tuple[Table, ...]:
        steps = ("ms", "times as fast", "as the step before", "memory, MiB", "read, MiB")
        costs = ("all", "CPU", "memory, MiB", "rows", "MiB", "granules", "statements")
        return (
            Table("The known case", ("search and step", *steps), tuple(self._known_steps())),
            *(
                Table(
                    f"{title}: ms by frequency, ms of CPU, most memory of a search, averages of the rest",
                    ("side", *_FREQUENCIES, *costs),
                    tuple(_cells(side, pages) for side, pages in self._by_side(placement).items()),
                )
                for placement, title in _PLACEMENTS.items()
            ),
        )

    def pictures(self) -> tuple[Picture, ...]:
        local = self._by_side("local")
        draw = partial(
            bars,
            title="Newest 100 of 4 KB by how frequent the words are",
            y=Axis("ms", logarithmic=True),
            groups=_FREQUENCIES,
            series={side: _by_frequency(local[side]) for side in _PICTURED},
        )
        return (Picture("plans.svg", "Milliseconds of a page by how frequent its words are", draw),)

    def _known_steps(self) -> Iterator[tuple[str, ...]]:
        before: KnownStep | None = None
        for each in self.known_case:
            gained = before.ms / each.ms if before is not None and before.query == each.query else 1.0
            yield (
                f"`{each.query}`: {each.side}",
                f"{each.ms:,.1f}",
                f"{each.times_faster:.1f}",
                f"{gained:.1f}",
                f"{each.memory / 2**20:,.0f}",
                f"{each.bytes_read / 2**20:,.1f}",
            )
            before = each

    def _by_side(self, placement: str) -> dict[str, list[PageCost]]:
        """Returns the page costs of each side in a placement, without the searches of the known case."""
        known = {each.query for each in self.known_case}
        found: dict[str, list[PageCost]] = {}
        for each in self.pages:
            if each.placement == placement and each.query not in known:
                found.setdefault(each.side, []).append(each)
        return found


def _cells(side: str, pages: Sequence[PageCost]) -> tuple[str, ...]:
    by_frequency = _by_frequency(pages)
    return (
        side,
        *(f"{each:,.1f}" for each in by_frequency),
        f"{statistics.geometric_mean(by_frequency):,.1f}",
        _cpu(pages),
        f"{max(each.memory for each in pages) / 2**20:,.0f}",
        f"{statistics.mean(each.rows_read for each in pages):,.0f}",
        f"{statistics.mean(each.bytes_read for each in pages) / 2**20:,.1f}",
        f"{statistics.mean(each.granules for each in pages):,.0f}",
        f"{statistics.mean(each.statements for each in pages):,.1f}",
    )


def _cpu(pages: Sequence[PageCost]) -> str:
    """Returns milliseconds of processor time, as the geometric mean over the searches; empty if they are unknown."""
    known = [each.cpu_seconds * 1_000 for each in pages if each.cpu_seconds]
    return f"{statistics.geometric_mean(known):,.1f}" if len(known) == len(pages) else ""


def _by_frequency(pages: Sequence[PageCost]) -> list[float]:
    """Returns milliseconds for each of `_FREQUENCIES`: geometric means over its searches."""
    return [
        statistics.geometric_mean([each.seconds * 1_000 for each in pages if each.words == words])
        for words in _FREQUENCIES
    ]


def run(
    bench: Bench,
    rows: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds over all sides.")] = 5,
    folder: Home = None,
    smoke: Smoke = False,
) -> PlansReport:
    """Compare ways to read a page: plans, other table layouts, one and two nodes, engines of today and of 2024."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.plans.measure import measure, plans_report
    from loadtest.plans.questions import SMOKE_WORDS, WORDS
    from loadtest.plans.store import PageStore
    from loadtest.services import CLICKHOUSE
    from schema.migrate import migrate_clickhouse

    callers = Settings()
    if "clickhouse_nodes" in callers.model_fields_set and callers.clickhouse_nodes != _NODES:
        raise typer.BadParameter("plans compares one ClickHouse node with two: unset LOGSIEVE_CLICKHOUSE_NODES")
    corpus = Corpus(_SMOKE_ROWS if smoke else rows, "4k", 1, bench.seed, FIXED_DAY_NS)
    words, count = (SMOKE_WORDS, 1) if smoke else (WORDS, rounds)
    # Each corpus has a separate folder, because a table counts as complete by its number of rows alone.
    home = (folder or bench.home).resolve() / f"plans-{corpus.rows}-{bench.seed}"
    two_nodes = {"LOGSIEVE_CLICKHOUSE_NODES": str(_NODES), "LOGSIEVE_LANES": "4"}
    with bench.stack_in(home, CLICKHOUSE, f"{CLICKHOUSE}-1", settings=two_nodes) as stack:
        # `logsieve migrate` is not used, because it needs Kafka too.
        migrate_clickhouse(stack.settings)
        with connect(stack.settings) as first, connect(stack.settings, shard=1) as second:
            bench.found_server(str(first.server_version))
            PageStore(bench, stack.settings, corpus).fill_all((first, second))
            measured = measure(bench, stack, (first, second), words, count)
    return plans_report(measured, words, corpus.rows, count, smoke=smoke)


STUDY: Final = Study(
    "plans",
    "Which plan finds a page",
    PlansReport,
    run,
    smoke=("--smoke",),
)
