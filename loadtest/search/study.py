"""Declares `logsieve loadtest search`: its options, results and goals."""

import statistics
from functools import partial
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, bars
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most
from loadtest.study import Home, Study

EXPORTER: Final = "exporter"
_SHIPPED: Final = "/auto"
_SUMMARIZED: Final = {
    EXPORTER: "OpenTelemetry exporter's table, one plain query",
    "tokenbf": "Logsieve, profile tokenbf",
    "text": "Logsieve, profile text",
}


class Goal(Part):
    """Goals of a profile: smallest `Standing.ratio`, and largest 95th percentile of a page in milliseconds."""

    ratio: float
    p95_ms: float


class Standing(Part):
    """Results of one profile with plan `auto`. Ratios are geometric means over all searches, of ratios of medians.

    `ratio` is the time over the exporter's table divided by that of `auto`. `auto_over_best` is the time of `auto`
    divided by that of the fastest plan.
    """

    profile: str
    ratio: float
    p95_ms: float
    """95th percentile of the slowest search, in milliseconds."""
    auto_over_best: float
    goal: Goal


class SearchTime(Part):
    """Milliseconds of one search on one side. `side` is `exporter` or `PROFILE/PLAN`."""

    words: str
    rows: str
    query: str
    side: str
    p50_ms: float
    p95_ms: float


class SearchReport(Report):
    records: int
    rounds: int
    auto_over_best_goal: float
    """Largest permitted `Standing.auto_over_best`."""
    profiles: tuple[Standing, ...]
    cases: tuple[SearchTime, ...]

    def headline(self) -> tuple[Row, ...]:
        return tuple(row for each in self.profiles for row in self.rows_of(each))

    def tables(self) -> tuple[Table, ...]:
        return tuple(self._table(words) for words in dict.fromkeys(each.words for each in self.cases))

    def pictures(self) -> tuple[Picture, ...]:
        shown = {EXPORTER: "exporter's table"}
        shown |= {f"{each.profile}{_SHIPPED}": f"{each.profile}, auto" for each in self.profiles}
        searches = dict.fromkeys((each.words, each.rows) for each in self.cases)
        draw = partial(
            bars,
            title=f"Newest 100 of {self.records:,} records of 4 KB, median",
            y=Axis("ms", logarithmic=True),
            groups=[f"{words}\n{rows}" for words, rows in searches],
            series={name: [each.p50_ms for each in self.cases if each.side == side] for side, name in shown.items()},
        )
        return (Picture("search.svg", "Median by case", draw), self._summary())

    def _summary(self) -> Picture:
        """Returns the picture of the README: each profile with plan `auto`, and the exporter's table."""
        milliseconds = self.by_frequency()
        draw = partial(
            bars,
            title=f"Newest 100 of {self.records:,} records of 4 KB by how frequent the words are",
            y=Axis("ms", logarithmic=True),
            groups=list(milliseconds[EXPORTER]),
            series={label: list(milliseconds[side].values()) for side, label in _SUMMARIZED.items()},
        )
        return Picture("summary.svg", "Milliseconds of a page by how frequent its words are", draw)

    def _table(self, words: str) -> Table:
        """Returns the table of the searches with words of one frequency: medians, and 95th percentiles in brackets."""
        own = [each for each in self.cases if each.words == words]
        rows = []
        for side in dict.fromkeys(each.side for each in own):
            name = "exporter's table" if side == EXPORTER else side.replace("/", ", ")
            rows.append((name, *(f"{each.p50_ms:,.1f} ({each.p95_ms:,.1f})" for each in own if each.side == side)))
        head = ("", *(f"`{query}`" for query in dict.fromkeys(each.query for each in own)))
        return Table(f"{words.capitalize()} words, ms, median (p95) of {self.rounds} rounds", head, tuple(rows))

    def rows_of(self, standing: Standing) -> tuple[Row, ...]:
        """Returns the rows that compare one profile with its goals."""
        name, goal = standing.profile, standing.goal
        times = f"{name}: times as fast as a plain query of the exporter's table, {self.records:,} records"
        slowest = f"{name}: 95th percentile of the slowest kind of page"
        return (
            at_least(times, standing.ratio, goal.ratio),
            at_most(slowest, standing.p95_ms, goal.p95_ms, ".0f", " ms"),
            at_most(f"{name}: the chosen plan over the best one", standing.auto_over_best, self.auto_over_best_goal),
        )

    def by_frequency(self) -> dict[str, dict[str, float]]:
        """Returns milliseconds by side and by frequency of the words: geometric means over searches, of medians.

        Sides are the exporter's table, and each profile with plan `auto`.
        """
        shown = [each for each in self.cases if each.side == EXPORTER or each.side.endswith(_SHIPPED)]
        frequencies = dict.fromkeys(each.words for each in shown)
        return {
            side.removesuffix(_SHIPPED): {
                words: statistics.geometric_mean(
                    [each.p50_ms for each in shown if each.side == side and each.words == words]
                )
                for words in frequencies
            }
            for side in sorted({each.side for each in shown})
        }


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each search runs on each side.")] = 20,
    folder: Home = None,
) -> SearchReport:
    """Measure pages of the newest records, each plan over both index profiles, against a plain exporter's table."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.search.measure import measure

    home = ((folder or bench.home / "search") / f"{records}-{bench.seed}").resolve()
    corpus = Corpus(records, "4k", 1, bench.seed, FIXED_DAY_NS)
    with bench.stack_in(home, "migrate") as stack, connect(stack.settings) as client:
        bench.found_server(str(client.server_version))
        return measure(bench, stack, client, corpus, rounds)


STUDY: Final = Study(
    "search",
    "How fast a page of search results is",
    SearchReport,
    run,
    smoke=("--records", "2000", "--rounds", "1"),
)
