"""Freshness's result: the delay to its goal, that the sender kept its rate, and that every record is there once."""

from loadtest.freshness.measure import LATE_SECONDS
from loadtest.report.findings import Correctness, Findings, Row, Table


class FreshnessFindings(Findings, Correctness):
    rate: float
    maximum_rate: float | None
    record_bytes: int
    acknowledged: int
    p50_seconds: float
    p99_seconds: float
    longest_seconds: float
    behind_seconds: float
    behind_goal_seconds: float = LATE_SECONDS
    resolution_seconds: float
    goal_seconds: float

    def headline(self) -> tuple[Row, ...]:
        return (
            Row(
                f"99th percentile at {self.rate:,.0f} records of {self.record_bytes:,} bytes a second",
                f"{self.p99_seconds:.2f} s",
                f"at most {self.goal_seconds:g} s",
                self.p99_seconds <= self.goal_seconds,
            ),
            Row(
                "the sender late at most",
                f"{self.behind_seconds:.2f} s",
                f"at most {self.behind_goal_seconds:g} s",
                self.behind_seconds <= self.behind_goal_seconds,
            ),
            Row(f"wrong of {self.acknowledged:,} records", f"{self.wrong:,}", "0", self.wrong == 0),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = [
            ("median", f"{self.p50_seconds:.2f} s"),
            ("longest", f"{self.longest_seconds:.2f} s"),
            ("longest time between two looks", f"{self.resolution_seconds:.2f} s"),
        ]
        if self.maximum_rate is not None:
            lines.append(("as fast as it goes, records a second", f"{self.maximum_rate:,.0f}"))
        return (Table("More of the same run", ("", ""), tuple(lines)),)
