"""Declares `logsieve loadtest patterns`, which needs no stack."""

from pathlib import Path
from typing import Annotated, Final

import typer

from kit.errors import InvalidRequest
from loadtest.bench import Bench
from loadtest.patterns.report import PatternsReport
from loadtest.study import Study


def run(
    bench: Bench,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of loghub with templates/*_2k.csv. Without it, accuracy is not measured."),
    ] = None,
    messages: Annotated[int, typer.Option(min=10, help="Number of messages whose grouping is timed.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds; the time is their median.")] = 5,
) -> PatternsReport:
    """Measure how accurately and how fast messages are grouped into patterns, beside drain3."""
    from loadtest.patterns.labels import read_labelled

    try:
        from loadtest.patterns.measure import measure_accuracy, measure_times
    except ModuleNotFoundError as error:
        if error.name != "drain3":
            raise
        detail = "drain3, with which this study compares, is not installed: run `scripts/setup --tests` in a checkout"
        raise InvalidRequest(detail) from error

    systems = [] if data is None else read_labelled(data)
    return PatternsReport(
        accuracy=measure_accuracy(systems, bench.say),
        timings=measure_times(messages, rounds, bench.seed, bench.clock, bench.say),
    )


STUDY: Final = Study(
    "patterns",
    "How well messages are grouped into patterns",
    PatternsReport,
    run,
    smoke=("--messages", "200", "--rounds", "1"),
)
