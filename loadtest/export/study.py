"""Declares `logsieve loadtest export`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.export.report import ExportReport
from loadtest.study import Study


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=10_000, help="Records to export.")] = 1_000_000,
    slow_seconds: Annotated[float, typer.Option(min=1, help="Seconds that the slow client reads.")] = 20.0,
) -> ExportReport:
    """Export many records at full speed, slowly, and to clients that disconnect; the backend's memory must not grow."""
    from loadtest.export.measure import measure_exports

    with bench.stack("api", "receiver") as stack:
        return measure_exports(bench, stack, records, slow_seconds)


STUDY: Final = Study(
    "export",
    "Memory of exports",
    ExportReport,
    run,
    smoke=("--records", "50000", "--slow-seconds", "2"),
    takes_seed=False,
)
