"""Fairness's report: the quiet tenant's latency beside the flood over that alone."""

from typing import Final

from pydantic import computed_field

from loadtest.report.report import Part, Report, Row, Table

GOAL: Final = 2.0
"""Largest p99 beside the flood over the p99 alone."""


class Latencies(Part):
    """Seconds from the moment a request was due to its acknowledgement."""

    requests: int
    p50: float
    p99: float


class FairnessReport(Report):
    goal: float = GOAL
    alone: Latencies
    beside: Latencies
    flood: dict[str, int]
    """Answers to the flooding tenant, by status, or by a word for what happened to the connection."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ratio(self) -> float:
        return self.beside.p99 / self.alone.p99

    def headline(self) -> tuple[Row, ...]:
        what = "99th percentile of acknowledgements beside a flood over that alone"
        met = self.ratio <= self.goal and self.flood.get("429", 0) > 0
        return (Row(what, f"{self.ratio:.2f}", f"at most {self.goal:g}", met),)

    def tables(self) -> tuple[Table, ...]:
        sides = tuple(
            (name, f"{side.requests:,}", f"{side.p50 * 1000:.1f}", f"{side.p99 * 1000:.1f}")
            for name, side in (("alone", self.alone), ("beside the flood", self.beside))
        )
        answers = tuple((status, f"{times:,}") for status, times in sorted(self.flood.items()))
        return (
            Table("The quiet tenant", ("", "requests", "median, ms", "99th percentile, ms"), sides),
            Table("What the flood was answered", ("status", "times"), answers),
        )
