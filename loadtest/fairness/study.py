"""Declares `logsieve loadtest fairness`: its options, results and goals."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table
from loadtest.study import Study

GOAL: Final = 2.0
"""Largest ratio of the 99th percentile beside the flood to the 99th percentile alone."""


class Latencies(Part):
    """Seconds from the time a request was due to its acknowledgement. `requests` is their number."""

    requests: int
    p50: float
    p99: float


class FairnessReport(Report):
    alone: Latencies
    beside: Latencies
    flood: dict[str, int]
    """Answers to the flooding tenant, counted by HTTP status, or by a word of `hostile/attack.py` if there was none."""

    @property
    def ratio(self) -> float:
        return self.beside.p99 / self.alone.p99

    def extent(self) -> dict[str, float]:
        return {"requests": self.alone.requests}

    def headline(self) -> tuple[Row, ...]:
        what = "99th percentile of acknowledgements beside a flood over that alone"
        met = self.ratio <= GOAL and self.flood.get("429", 0) > 0
        return (Row(what, f"{self.ratio:.2f}", f"at most {GOAL:g}", met),)

    def tables(self) -> tuple[Table, ...]:
        sides = tuple(
            (name, f"{side.requests:,}", f"{side.p50 * 1000:.1f}", f"{side.p99 * 1000:.1f}")
            for name, side in (("alone", self.alone), ("beside the flood", self.beside))
        )
        answers = tuple((status, f"{times:,}") for status, times in sorted(self.flood.items()))
        return (
            Table("The quiet tenant", ("", "requests", "median, ms", "99th percentile, ms"), sides),
            Table("Answers to the flood", ("status", "number"), answers),
        )


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
