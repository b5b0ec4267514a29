"""Declares `logsieve loadtest outage`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.outage.report import OutageReport
from loadtest.study import Study


def run(
    bench: Bench,
    service: Annotated[str, typer.Argument(help="Service to stop: kafka or clickhouse.")],
    seconds: Annotated[float, typer.Option(min=1, help="Seconds of the outage.")] = 60,
    rate: Annotated[
        int, typer.Option(min=1, help="Records per second that an application logs during the outage.")
    ] = 200,
) -> OutageReport:
    """Stop Kafka or ClickHouse under load; applications that retry must lose nothing."""
    from loadtest.outage.run import SERVICES, run_outage

    if service not in SERVICES:
        raise typer.BadParameter(f"{service!r} cannot be kept down; these can: {', '.join(SERVICES)}")
    with bench.stack("receiver", "loader") as stack:
        report = run_outage(bench, stack, service, seconds, rate)
        if not report.passed:
            stack.keep()
    return report


STUDY: Final = Study(
    "outage", "A service that stays down", OutageReport, run, smoke=("clickhouse", "--seconds", "3", "--rate", "50")
)
