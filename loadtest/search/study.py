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
_SHIPPED: Final = {
    EXPORTER: "OpenTelemetry exporter's table until April 2026, one plain query",
    EXPORTER_TEXT: "its newer table with text indexes, one plain query",
    "tokenbf/auto": "Logsieve, profile tokenbf",
    "text/auto": "Logsieve, profile text",
}
"""Sides of the pictures, each with its name in the picture of the README."""


class Goal(Part):
    """Goals of a profile: smallest `Standing.ratio`, and largest 95th percentile of a page in milliseconds."""

    ratio: float
    p95_ms: float


class Standing(Part):
    """Results of one profile with plan `auto`. Ratios are geometric means over all searches, of ratios of medians.

    `ratio` is the time over the exporter's table until April 2026 divided by that of `auto`. `auto_over_best` is the
    time of `auto` divided by that of the fastest plan.
    """

    profile: str
    ratio: float
    p95_ms: float
    """95th percentile of the slowest search, in milliseconds."""
    auto_over_best: float
    goal: Goal


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
    auto_over_best_goal: float
    """Largest permitted `Standing.auto_over_best`."""
    profiles: tuple[Standing, ...]
    cases: tuple[SearchTime, ...]

    def headline(self) -> tuple[Row, ...]:
        rows: list[Row] = []
        for each in self.profiles:
            times = f"{each.profile}: times as fast as a plain query of {_label(EXPORTER)}, {self.records:,} records"
            slowest = f"{each.profile}: 95th percentile of the slowest kind of page"
            chosen = f"{each.profile}: the chosen plan over the best one"
            rows += [
                at_least(times, each.ratio, each.goal.ratio),
                at_most(slowest, each.p95_ms, each.goal.p95_ms, ".0f", " ms"),
                at_most(chosen, each.auto_over_best, self.auto_over_best_goal),
            ]
        newer = self._medians(EXPORTER_TEXT)
        for each in self.profiles:
            own = self._medians(f"{each.profile}/auto")
            ratio = statistics.geometric_mean([newer[query] / ms for query, ms in own.items()])
            what = f"{each.profile}: times as fast as a plain query of {_label(EXPORTER_TEXT)}"
            rows.append(Row(what, f"{ratio:.1f}"))
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


def _label(side: str) -> str:
    tables = {EXPORTER: "the exporter's table until April 2026", EXPORTER_TEXT: "the exporter's newer table"}
    return tables.get(side, side.replace("/", ", "))


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each search runs on each side.")] = 20,
    folder: Home = None,
) -> SearchReport:
    """Measure pages of the newest records, each plan over both index profiles, against the exporter's tables."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.search.measure import measure

    home = ((folder or bench.home / "search") / f"{records}-{bench.seed}").resolve()
    corpus = Corpus(records, "4k", 1, bench.seed, FIXED_DAY_NS)
    with bench.stack_in(home, "migrate") as stack, connect(stack.settings) as client:
        bench.found_server(str(client.server_version))
        return measure(bench, stack, client, corpus, rounds)


STUDY: Final = Study(
    "search", "How fast a page of search results is", SearchReport, run, smoke=("--records", "2000", "--rounds", "1")
)
