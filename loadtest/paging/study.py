"""`logsieve loadtest paging`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.paging.report import PagingReport
from loadtest.study import Study


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1000, help="Records that are there from the beginning.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Records a second that arrive meanwhile.")] = 1_000,
) -> PagingReport:
    """Read all pages of 100 in both directions while records arrive in between; none may be missed or seen twice."""
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
