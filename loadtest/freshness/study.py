"""Declares `logsieve loadtest freshness`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.freshness.report import FreshnessReport
from loadtest.study import Study, checked_options


def run(
    bench: Bench,
    rate: Annotated[
        float | None,
        typer.Option(min=1, help="Records per second. Without it, the maximum rate is measured, and half of it sent."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds for which records are sent.")] = 30.0,
    size: Annotated[int, typer.Option(help="Bytes per record: 4096 or 300.")] = 4096,
) -> FreshnessReport:
    """Measure the time from acknowledged to searchable at a fixed rate, and count lost and duplicated records."""
    from loadtest.corpus.records import shape_of
    from loadtest.freshness.measure import measure

    with checked_options():
        shape = shape_of(size)
    with bench.stack("receiver", "loader") as stack:
        report = measure(bench, stack, shape, rate, seconds)
        if report.wrong:
            stack.keep()
    return report


STUDY: Final = Study(
    "freshness", "From acknowledged to searchable", FreshnessReport, run, smoke=("--rate", "300", "--seconds", "3")
)
