"""Declares `logsieve loadtest search`: its options, results and goals."""

import statistics
from functools import partial
from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, bars
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most
from loadtest.study import Home, Study

EXPORTER: Final = "exporter"
EXPORTER_TEXT: Final = "exporter text"
_GOALS: Final = {"tokenbf": (20, 300), "text": (50, 100)}
"""Goals of plan `auto` by profile: times as fast as the exporter's table until April 2026 (geometric mean over all
searches), and the largest 95th percentile of a search in milliseconds."""
_OVER_BEST: Final = 1.3
"""Largest permitted ratio of the time of plan `auto` to that of the fastest plan."""
_SHIPPED: Final = {
    EXPORTER: "OpenTelemetry exporter's table until April 2026, one plain query",
    EXPORTER_TEXT: "its newer table with text indexes, one plain query",
    "tokenbf/auto": "Logsieve, profile tokenbf",
    "text/auto": "Logsieve, profile text",
}
"""Sides of the pictures, each with its name in the picture of the README."""


class SearchTime(Part):
    """Milliseconds of one search on one side. `side` is `exporter`, `exporter text` or `PROFILE/PLAN`."""

    words: str
    rows: str
    query: str
    side: str
    p50_ms: float
    p95_ms: float


class SearchReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("records", "rounds")
    records: int
    rounds: int
    cases: tuple[SearchTime, ...]

    def headline(self) -> tuple[Row, ...]:
        rows: list[Row] = []
        sides = dict.fromkeys(each.side for each in self.cases)
        for profile, (ratio, p95_ms) in _GOALS.items():
            auto = f"{profile}/auto"
            times = f"{profile}: times as fast as a plain query of {_label(EXPORTER)}, {self.records:,} records"
            slowest = max(each.p95_ms for each in self.cases if each.side == auto)
            forced = [self._medians(side) for side in sides if side.startswith(f"{profile}/") and side != auto]
            best = {query: min(each[query] for each in forced) for query in forced[0]}
            rows += [
                at_least(times, _ratio(self._medians(EXPORTER), self._medians(auto)), ratio),
                at_most(f"{profile}: 95th percentile of the slowest kind of page", slowest, p95_ms, ".0f", " ms"),
                at_most(f"{profile}: the chosen plan over the best one", _ratio(self._medians(auto), best), _OVER_BEST),
            ]
        for profile in _GOALS:
            what = f"{profile}: times as fast as a plain query of {_label(EXPORTER_TEXT)}"
            newer = _ratio(self._medians(EXPORTER_TEXT), self._medians(f"{profile}/auto"))
            rows.append(Row(what, f"{newer:.1f}"))
        return tuple(rows)

    def tables(self) -> tuple[Table, ...]:
        """Returns a table for each frequency of the words: medians, and 95th percentiles in brackets."""
        tables = []
        for words in dict.fromkeys(each.words for each in self.cases):
            own = [each for each in self.cases if each.words == words]
            head = ("", *(f"`{query}`" for query in dict.fromkeys(each.query for each in own)))
            rows = tuple(
                (_label(side), *(f"{each.p50_ms:,.1f} ({each.p95_ms:,.1f})" for each in own if each.side == side))
                for side in dict.fromkeys(each.side for each in own)
            )
            tables.append(Table(f"{words.capitalize()} words, ms, median (p95) of {self.rounds} rounds", head, rows))
        return tuple(tables)

    def pictures(self) -> tuple[Picture, ...]:
        """Returns the page's picture, and the README's with one group of bars for each frequency of the words."""
        drawn = partial(bars, y=Axis("ms", logarithmic=True))
        title = f"Newest 100 of {self.records:,} records of 4 KB"
        searches = [f"{words}\n{rows}" for words, rows in dict.fromkeys((each.words, each.rows) for each in self.cases)]
        medians = {_label(side): list(self._medians(side).values()) for side in _SHIPPED}
        by_search = partial(drawn, title=f"{title}, median", groups=searches, series=medians)
        words = list(self.by_frequency(EXPORTER))
        means = {name: list(self.by_frequency(side).values()) for side, name in _SHIPPED.items()}
        by_words = partial(drawn, title=f"{title} by how frequent the words are", groups=words, series=means)
        return (
            Picture("search.svg", "Median by case", by_search),
            Picture("summary.svg", "Milliseconds of a page by how frequent its words are", by_words),
        )

    def by_frequency(self, side: str) -> dict[str, float]:
        """Returns a side's milliseconds by frequency of the words: geometric means over searches, of medians."""
        medians: dict[str, list[float]] = {}
        for each in self.cases:
            if each.side == side:
                medians.setdefault(each.words, []).append(each.p50_ms)
        return {words: statistics.geometric_mean(own) for words, own in medians.items()}

    def _medians(self, side: str) -> dict[str, float]:
        """Returns a side's median milliseconds by query."""
        return {each.query: each.p50_ms for each in self.cases if each.side == side}


def _ratio(slow: dict[str, float], fast: dict[str, float]) -> float:
    """Returns the ratio of two sides' times by query, as the geometric mean over the queries."""
    return statistics.geometric_mean([slow[query] / ms for query, ms in fast.items()])


def _label(side: str) -> str:
    tables = {EXPORTER: "the exporter's table until April 2026", EXPORTER_TEXT: "the exporter's newer table"}
    return tables.get(side, side.replace("/", ", "))


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each search runs on each side.")] = 20,
    folder: Home = None,
) -> SearchReport:
    """Measure how long a page of the newest records takes with each plan and index profile, and with the tables of the
    Collector's ClickHouse exporter."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.own_stack import needed
    from loadtest.pages.store import folder_name
    from loadtest.search.measure import measure

    corpus = Corpus(records, 1, bench.seed, FIXED_DAY_NS)
    home = ((folder or bench.home / "search") / folder_name(corpus)).resolve()
    settings = needed({"LOGSIEVE_LANES": "4"})
    with bench.stack_in(home, "migrate", settings=settings) as stack, connect(stack.settings) as client:
        bench.found_server(str(client.server_version))
        return measure(bench, stack, client, corpus, rounds)


STUDY: Final = Study(
    "search", "How fast a page of search results is", SearchReport, run, smoke=("--records", "2000", "--rounds", "1")
)
