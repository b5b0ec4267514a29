"""Declares `logsieve loadtest paging`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.paging.report import PagingReport
from loadtest.study import Study


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1000, help="Records that are stored before the study starts.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Records per second that arrive while pages are read.")] = 1_000,
) -> PagingReport:
    """Read all pages of 100 in both directions while records arrive; no record may be missed or returned twice."""
    from loadtest.paging.measure import measure_paging

    with bench.stack("api", "receiver", "loader") as stack:
        return measure_paging(bench, stack, records, rate)


STUDY: Final = Study(
    "paging",
    "Reading all pages while records arrive",
    PagingReport,
    run,
    smoke=("--records", "2000", "--rate", "200"),
)
