"""Declares `logsieve loadtest patterns`: its options, results and goals. Needs no stack."""

from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Annotated, Final

import typer

from kit.errors import InvalidRequest
from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table, at_least, at_most
from loadtest.study import Study

LOGSIEVE: Final = "Logsieve"
SHORT: Final = "lines"
LONG: Final = "messages of 1,024 characters"

ACCURACY_GOAL: Final = 0.85
"""Smallest mean grouping accuracy over all systems."""
SECONDS_GOAL: Final = 1.0
"""Longest time in seconds to group the messages of one sample."""


class Accuracy(Part):
    """Grouping accuracy over the messages of one system."""

    system: str
    shares: Mapping[str, float]
    """Share of messages in exactly the right group, 0 to 1, by contender."""


class Timing(Part):
    """Time in which a contender groups messages of one kind, as the median of the rounds."""

    contender: str
    kind: str
    messages: int
    bytes: int
    """Bytes of all messages in UTF-8."""
    seconds: float
    slowest_seconds: float
    cpu_seconds: float


class PatternsReport(Report):
    accuracy: tuple[Accuracy, ...] = ()
    """Empty if the study was given no labelled messages."""
    timings: tuple[Timing, ...]

    def means(self) -> dict[str, float]:
        """Returns the mean accuracy of each contender over all systems."""
        names = self.accuracy[0].shares if self.accuracy else ()
        return {name: mean(each.shares[name] for each in self.accuracy) for name in names}

    def extent(self) -> dict[str, int]:
        return {each.kind: each.messages for each in self.timings} | {each.system: 1 for each in self.accuracy}

    def headline(self) -> tuple[Row, ...]:
        means = self.means()
        others = "; ".join(f"{name} {share:.3f}" for name, share in means.items() if name != LOGSIEVE)
        systems = f"mean grouping accuracy over {len(self.accuracy)} systems ({others})"
        accuracy = (at_least(systems, means[LOGSIEVE], ACCURACY_GOAL, ".3f"),) if means else ()
        times = (
            at_most(f"{each.messages:,} {each.kind} grouped after", each.seconds, SECONDS_GOAL, ".3f", " s")
            for each in self.timings
            if each.contender == LOGSIEVE
        )
        return (*accuracy, *times)

    def tables(self) -> tuple[Table, ...]:
        times = tuple(
            (
                f"{each.kind}, {each.contender}",
                f"{each.bytes / 1e6:.1f}",
                *(f"{seconds:.3f}" for seconds in (each.seconds, each.slowest_seconds, each.cpu_seconds)),
            )
            for each in self.timings
        )
        head = ("messages", "MB", "s elapsed, median", "s elapsed, slowest round", "s of CPU, median")
        timed = Table("Time of grouping", head, times)
        if not self.accuracy:
            return (timed,)
        means = self.means()
        shares = (*((each.system, each.shares) for each in self.accuracy), ("mean", means))
        rows = tuple((system, *(f"{share[name]:.3f}" for name in means)) for system, share in shares)
        return Table("Grouping accuracy", ("system", *means), rows), timed


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
