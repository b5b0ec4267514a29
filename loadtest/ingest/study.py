"""Declares `logsieve loadtest ingest`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.ingest.report import IngestReport
from loadtest.study import Study, checked_options


def run(
    bench: Bench,
    size: Annotated[list[int] | None, typer.Option(help="Bytes per record: 4096 or 300; both when left out.")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds for which each size is sent; 20 when left out.")
    ] = None,
    records: Annotated[
        int | None, typer.Option(help="Send this number of records of each size instead, in full requests.")
    ] = None,
) -> IngestReport:
    """Measure bytes per CPU second from OTLP to ClickHouse against ClickHouse's own Native insert of the same rows."""
    from loadtest.corpus.records import LARGE, SMALL, shape_of
    from loadtest.ingest.measure import measure_sizes
    from loadtest.ingest.sender import REQUEST_RECORDS, Extent

    if seconds is not None and records is not None:
        raise typer.BadParameter("give --seconds or --records, not both")
    with checked_options():
        shapes = [shape_of(each) for each in size or (LARGE.size, SMALL.size)]
    requests = None if records is None else max(1, round(records / REQUEST_RECORDS))
    extent = Extent(requests, None if requests is not None else seconds or 20.0)
    with bench.stack("receiver", "loader") as stack:
        return IngestReport(sizes=measure_sizes(bench, stack, shapes, extent))


STUDY: Final = Study(
    "ingest", "The way in: bytes per CPU second", IngestReport, run, smoke=("--records", "1024", "--size", "300")
)
