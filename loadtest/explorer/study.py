"""Declares `logsieve loadtest explorer`: its options, results and goals."""

from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table, at_most
from loadtest.study import Study


class Painted(Part):
    """Milliseconds from Enter until a query's first rows are painted. `search_ms` is the median of the search's whole
    answer, from the request to its last byte, in milliseconds. The answer may end after the first rows are painted.
    """

    words: str
    query: str
    goal_ms: float
    p50_ms: float
    worst_ms: float
    search_ms: float


class Scrolled(Part):
    """Frames while a list was scrolled through its rows."""

    rows: int
    """Number of the row that was reached."""
    frames: int
    """Frames that were drawn."""
    dropped_frames: int
    """Frames, at 60 per second, that were not drawn."""

    @property
    def dropped_percent(self) -> float:
        return 100 * self.dropped_frames / max(1, self.frames + self.dropped_frames)


class ExplorerReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("records", "runs")
    records: int
    runs: int
    painted: tuple[Painted, ...]
    scrolled: Scrolled
    plain: Scrolled
    """Scrolling of plain rows on a page without the web UI. Shows how many frames the machine and the browser drop by
    themselves."""
    first_load_kb: float
    """Kilobytes (1,000 bytes, compressed) of the documents, code, styles and fonts that a first visit loads."""
    interactive_ms: float
    """Milliseconds from the start of the first visit until the query takes text."""

    def headline(self) -> tuple[Row, ...]:
        scrolled = f"frames dropped while {self.scrolled.rows:,} rows are scrolled"
        return (
            *(
                at_most(f"Enter to painted rows, {each.words} word, median", each.p50_ms, each.goal_ms, ".0f", " ms")
                for each in self.painted
            ),
            at_most(scrolled, self.scrolled.dropped_percent, 5, ".1f", " %"),
            at_most("first load, compressed", self.first_load_kb, 350, ".0f", " KB"),
            at_most("first visit until the query takes text", self.interactive_ms, 1_000, ".0f", " ms"),
            Row("frames dropped by a page of plain rows", f"{self.plain.dropped_percent:.1f} %"),
        )

    def tables(self) -> tuple[Table, ...]:
        head = ("query", "median ms", "longest ms", "the search's whole answer, median ms")
        rows = tuple(
            (f"`{each.query}`", f"{each.p50_ms:.0f}", f"{each.worst_ms:.0f}", f"{each.search_ms:.0f}")
            for each in self.painted
        )
        title = f"Enter to painted rows, {self.runs} runs each, {self.records:,} records"
        lists = (("results", self.scrolled), ("plain rows on an empty page", self.plain))
        frames = tuple(
            (name, f"{each.rows:,}", f"{each.frames:,}", f"{each.dropped_frames:,}", f"{each.dropped_percent:.1f} %")
            for name, each in lists
        )
        frames_head = ("list", "rows", "drawn", "dropped", "part dropped")
        return Table(title, head, rows), Table("Frames while scrolling", frames_head, frames)


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    runs: Annotated[int, typer.Option(min=1, help="Number of times that each query is run.")] = 20,
    rows: Annotated[int, typer.Option(min=500, help="Number of rows to scroll through.")] = 100_000,
) -> ExplorerReport:
    """Measure the search page in Chromium: from Enter to painted rows, frames while scrolling, and the first load."""
    from loadtest.explorer.measure import measure

    with bench.stack("receiver", "loader", "api") as stack:
        return measure(bench, stack, records, runs, min(rows, records))


STUDY: Final = Study(
    "explorer",
    "How fast the search page is in a browser",
    ExplorerReport,
    run,
    smoke=("--records", "1000", "--runs", "1", "--rows", "500"),
)
