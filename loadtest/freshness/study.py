"""Declares `logsieve loadtest freshness`: its options, results and goals."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.correctness import Correctness
from loadtest.report.report import Report, Row, Table, at_most
from loadtest.study import Study

GOAL_SECONDS: Final = 2.0
"""Largest delay, in seconds, at the 99th percentile under half load."""

LATE_SECONDS: Final = 0.5
"""Longest permitted delay of a request behind its schedule, in seconds.

If a request is later, the actual rate was lower than planned and the run proves nothing.
"""


class FreshnessReport(Report, Correctness):
    """Percentiles, over records, of the seconds from acknowledged to searchable. Rates are records per second."""

    rate: float
    maximum_rate: float | None
    record_bytes: int
    acknowledged: int
    uncertain: int = 0
    p50_seconds: float
    p99_seconds: float
    longest_seconds: float
    behind_seconds: float
    """Largest delay of a request behind its schedule, in seconds."""
    resolution_seconds: float
    """Largest error of a measured delay, in seconds. A measured delay is never shorter than the real one."""

    def extent(self) -> dict[str, float]:
        return {"seconds": round(self.acknowledged / self.rate)}

    def headline(self) -> tuple[Row, ...]:
        at = f"99th percentile at {self.rate:,.0f} records of {self.record_bytes:,} bytes a second"
        return (
            at_most(at, self.p99_seconds, GOAL_SECONDS, unit=" s"),
            at_most("largest delay of a request behind its schedule", self.behind_seconds, LATE_SECONDS, unit=" s"),
            self.row(f"wrong of {self.acknowledged:,} records", also=self.uncertain == 0),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = [
            ("median", f"{self.p50_seconds:.2f} s"),
            ("longest", f"{self.longest_seconds:.2f} s"),
            ("longest time between two queries", f"{self.resolution_seconds:.2f} s"),
        ]
        if self.maximum_rate is not None:
            lines.append(("largest rate, records a second", f"{self.maximum_rate:,.0f}"))
        if self.uncertain:
            lines.append(("records that were not acknowledged", f"{self.uncertain:,}"))
        return (Table("More of the same run", ("", ""), tuple(lines)),)


def run(
    bench: Bench,
    rate: Annotated[
        float | None,
        typer.Option(min=1, help="Records per second. Without it, the maximum rate is measured, and half of it sent."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds for which records are sent.")] = 30.0,
) -> FreshnessReport:
    """Measure the time from acknowledged to searchable at a fixed rate, and count lost and duplicated records."""
    from loadtest.freshness.measure import measure

    with bench.stack("receiver", "loader") as stack:
        report = measure(bench, stack, rate, seconds)
        if report.wrong:
            stack.kept = True
    return report


STUDY: Final = Study(
    "freshness", "From acknowledged to searchable", FreshnessReport, run, smoke=("--rate", "300", "--seconds", "3")
)
