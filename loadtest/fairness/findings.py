"""Fairness's result: the quiet tenant's latency beside the flood over that alone."""

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row, Table


class Side(BaseModel):
    """Seconds."""

    requests: int
    p50: float
    p99: float


class FairnessFindings(Findings):
    ratio: float
    goal: float
    alone: Side
    beside: Side
    flood: dict[int, int]

    def headline(self) -> tuple[Row, ...]:
        what = "99th percentile of acknowledgements beside a flood over that alone"
        return (Row(what, f"{self.ratio:.2f}", f"at most {self.goal:g}", self.passed),)

    def tables(self) -> tuple[Table, ...]:
        sides = tuple(
            (name, f"{side.requests:,}", f"{side.p50 * 1000:.1f}", f"{side.p99 * 1000:.1f}")
            for name, side in (("alone", self.alone), ("beside the flood", self.beside))
        )
        answers = tuple((str(status), f"{times:,}") for status, times in sorted(self.flood.items()))
        return (
            Table("The quiet tenant", ("", "requests", "median, ms", "99th percentile, ms"), sides),
            Table("What the flood was answered", ("status", "times"), answers),
        )
