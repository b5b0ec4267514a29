"""Declares `logsieve loadtest plans`: its options, results and goals."""

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, bars
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most
from loadtest.study import Home, Smoke, Study

_GOALS: Final = {"tokenbf": 30, "text": 100}
"""Smallest permitted ratio of the time of `_BASELINE` to Logsieve's on one node, by index profile."""
_MAX_SHARDS_RATIO: Final = 1.2
"""Largest permitted ratio of the time of a page over two shards to that of the same page on one node."""
_MAX_OVER_BEST: Final = 1.15
"""Largest permitted ratio of the time of a page with plan `auto` to that with the fastest other plan."""
_OTHER_PLANS: Final = ("in_order", "two_phase", "windowed")
_LEAST_CPU_MS: Final = 0.1
"""Processor time that counts for a page whose statements took less than the server's clock can show."""
_BASELINE: Final = "exporter, plain (today)"
"""Side that the goals refer to: one plain query over the exporter's table."""
_FREQUENCIES: Final = ("frequent", "rare", "absent", "combined")
_PLACEMENTS: Final = {"local": "One node", "two shards": "Two shards"}
_PICTURED: Final = (
    _BASELINE,
    "signoz, own (today)",
    "clickstack, own (today)",
    "logsieve tokenbf, in_order (today)",
    "logsieve tokenbf, auto (today)",
    "logsieve text, auto (today)",
)
"""Sides in the picture, all on one node."""
_SMOKE_ROWS: Final = 1_000


class Cost(Part):
    """Cost of one page: the seconds during which at least one of its statements ran, the largest memory of one
    statement in bytes, and the reads and processor seconds of all nodes."""

    seconds: float
    cpu_seconds: float
    memory: float
    rows_read: float
    bytes_read: float
    granules: float
    statements: float


class PageCost(Cost):
    """Cost of one search on one side: medians over the rounds."""

    words: str
    query: str
    placement: str
    layout: str
    way: str
    engine: str

    @property
    def side(self) -> str:
        return f"{self.layout}, {self.way} ({self.engine})"


class PlansReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("records", "rounds")
    records: int
    rounds: int
    pages: tuple[PageCost, ...]

    def headline(self) -> tuple[Row, ...]:
        placed = {placement: self._by_side(placement) for placement in _PLACEMENTS}
        rows = []
        for placement, sides in placed.items():
            for profile, goal in _GOALS.items():
                what = (
                    f"{profile}, {placement}: times as fast as the exporter's table with one plain query,"
                    f" {self.records:,} records, the server's own times"
                )
                ratio = _ms(sides[_BASELINE]) / _ms(sides[_shipped(profile)])
                rows.append(at_least(what, ratio, goal) if placement == "local" else Row(what, f"{ratio:.1f}"))
        for profile in _GOALS:
            one = placed["local"][_shipped(profile)]
            for way in ("auto", "auto, Distributed"):
                two = placed["two shards"][_shipped(profile, way)]
                what = (
                    f"{profile}, two shards, {way}: time of a page, as a multiple of one node's (processor time:"
                    f" {_cpu_ms(two) / _cpu_ms(one):.2f})"
                )
                ratio = _ms(two) / _ms(one)
                rows.append(at_most(what, ratio, _MAX_SHARDS_RATIO) if way == "auto" else Row(what, f"{ratio:.2f}"))
        for placement, sides in placed.items():
            rows += [_over_best(sides, profile, placement) for profile in _GOALS]
        return tuple(rows)

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
        for query in self._known_queries():
            steps = [each for each in self.pages if each.query == query]
            for before, each in zip([steps[0], *steps], steps, strict=False):
                yield (
                    f"`{query}`: {each.side}",
                    f"{each.seconds * 1_000:,.1f}",
                    f"{steps[0].seconds / each.seconds:.1f}",
                    f"{before.seconds / each.seconds:.1f}",
                    f"{each.memory / 2**20:,.0f}",
                    f"{each.bytes_read / 2**20:,.1f}",
                )

    def _known_queries(self) -> list[str]:
        """Returns the searches of the known case, which alone has a layout sorted by severity."""
        return list(dict.fromkeys(each.query for each in self.pages if each.layout == "severity key"))

    def _by_side(self, placement: str) -> dict[str, list[PageCost]]:
        """Returns the page costs of each side in a placement, without the searches of the known case."""
        known = self._known_queries()
        found: dict[str, list[PageCost]] = {}
        for each in self.pages:
            if each.placement == placement and each.query not in known:
                found.setdefault(each.side, []).append(each)
        return found


def _shipped(profile: str, plan: str = "auto") -> str:
    """Returns the name of the side of Logsieve as it is shipped, or with another plan."""
    return f"logsieve {profile}, {plan} (today)"


def _over_best(sides: dict[str, list[PageCost]], profile: str, placement: str) -> Row:
    """Returns how much longer a page of plan `auto` takes than one of the fastest other plan, in the worst search."""
    others = [sides[_shipped(profile, plan)] for plan in _OTHER_PLANS]
    best = [min(each.seconds for each in pages) for pages in zip(*others, strict=True)]
    ratios = [page.seconds / least for page, least in zip(sides[_shipped(profile)], best, strict=True)]
    what = (
        f"auto over the best plan, {profile}, {placement}: the largest ratio of {len(ratios)} searches"
        f" (geometric mean: {statistics.geometric_mean(ratios):.2f})"
    )
    return at_most(what, max(ratios), _MAX_OVER_BEST)


def _cells(side: str, pages: Sequence[PageCost]) -> tuple[str, ...]:
    return (
        side,
        *(f"{each:,.1f}" for each in (*_by_frequency(pages), _ms(pages), _cpu_ms(pages))),
        f"{max(each.memory for each in pages) / 2**20:,.0f}",
        f"{statistics.mean(each.rows_read for each in pages):,.0f}",
        f"{statistics.mean(each.bytes_read for each in pages) / 2**20:,.1f}",
        f"{statistics.mean(each.granules for each in pages):,.0f}",
        f"{statistics.mean(each.statements for each in pages):,.1f}",
    )


def _ms(pages: Sequence[PageCost]) -> float:
    """Returns milliseconds of a page, as the geometric mean over the searches."""
    return statistics.geometric_mean([each.seconds * 1_000 for each in pages])


def _cpu_ms(pages: Sequence[PageCost]) -> float:
    """Like `_ms`, of the processor time of all nodes."""
    return statistics.geometric_mean([max(each.cpu_seconds * 1_000, _LEAST_CPU_MS) for each in pages])


def _by_frequency(pages: Sequence[PageCost]) -> list[float]:
    """Returns milliseconds for each of `_FREQUENCIES`."""
    return [_ms([each for each in pages if each.words == words]) for words in _FREQUENCIES]


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
    from loadtest.own_stack import needed
    from loadtest.pages.questions import SMOKE_WORDS, WORDS
    from loadtest.pages.store import PageStore, folder_name
    from loadtest.plans.measure import measure
    from loadtest.services import CLICKHOUSE
    from schema.migrate import migrate_clickhouse

    corpus = Corpus(_SMOKE_ROWS if smoke else rows, 1, bench.seed, FIXED_DAY_NS)
    words, count = (SMOKE_WORDS, 1) if smoke else (WORDS, rounds)
    home = (folder or bench.home).resolve() / f"plans-{folder_name(corpus)}"
    two_nodes = needed({"LOGSIEVE_CLICKHOUSE_NODES": "2", "LOGSIEVE_LANES": "4"})
    with bench.stack_in(home, CLICKHOUSE, f"{CLICKHOUSE}-1", settings=two_nodes) as stack:
        # `logsieve migrate` is not used, because it needs Kafka too.
        migrate_clickhouse(stack.settings)
        with connect(stack.settings) as first, connect(stack.settings, shard=1) as second:
            bench.found_server(str(first.server_version))
            PageStore(bench, stack.settings, corpus).fill_all((first, second))
            pages = measure(bench, stack, (first, second), words, count)
    return PlansReport(smoke=smoke, records=corpus.rows, rounds=count, pages=pages)


STUDY: Final = Study(
    "plans",
    "Which plan finds a page",
    PlansReport,
    run,
    smoke=("--smoke",),
)
