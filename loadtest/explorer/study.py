"""Declares `logsieve loadtest explorer`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.explorer.report import ExplorerReport
from loadtest.study import Study


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
