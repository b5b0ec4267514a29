"""Declares `logsieve loadtest tail`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.study import Study
from loadtest.tail.report import TailReport


def run(
    bench: Bench,
    tails: Annotated[int, typer.Option(min=1, help="Number of concurrent tails.")] = 200,
    seconds: Annotated[float, typer.Option(min=5, help="Seconds for which records are sent.")] = 60,
    rate: Annotated[int, typer.Option(min=10, help="Records per second of all tenants together.")] = 1000,
) -> TailReport:
    """Open many tails; each record must reach every matching tail exactly once, and no query may reach ClickHouse."""
    from loadtest.tail.run import TailRun

    with bench.stack("receiver", "loader", "api") as stack:
        report = TailRun(bench, stack).run(tails, seconds, rate)
        if not report.passed:
            stack.keep()
    return report


STUDY: Final = Study("tail", "Live tail", TailReport, run, smoke=("--tails", "40", "--seconds", "5", "--rate", "200"))
