"""`logsieve loadtest outage`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.outage.report import OutageReport
from loadtest.study import Study


def run(
    bench: Bench,
    service: Annotated[str, typer.Argument(help="kafka or clickhouse.")],
    seconds: Annotated[float, typer.Option(min=1, help="How long it stays down.")] = 60,
    rate: Annotated[int, typer.Option(min=1, help="Records a second that an application logs meanwhile.")] = 200,
) -> OutageReport:
    """Keep Kafka or ClickHouse down under load; applications that try again must lose nothing."""
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
