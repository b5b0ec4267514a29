"""Declares `logsieve loadtest fairness`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.fairness.report import FairnessReport
from loadtest.study import Study


def run(
    bench: Bench,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that both sides are measured, in turn.")] = 3,
    seconds: Annotated[float, typer.Option(min=4, help="Seconds of each side of a round.")] = 15,
) -> FairnessReport:
    """Measure a tenant's acknowledgement latency alone, and while another tenant sends far over its limit."""
    from loadtest.fairness.measure import measure

    with bench.stack("receiver", "loader") as stack:
        return measure(bench, stack, rounds, seconds)


STUDY: Final = Study(
    "fairness", "A tenant beside one that floods", FairnessReport, run, smoke=("--rounds", "1", "--seconds", "4")
)
