"""A sending profile's result: its thresholds kept or not."""

from loadtest.report.findings import Findings, Row, Table


class SendFindings(Findings):
    profile: str
    acknowledged: int
    refused: int
    uncertain: int
    stored: int
    p50: float
    p99: float
    behind: float
    missed: tuple[str, ...]

    @property
    def variant(self) -> str:
        return self.profile if self.profile.isalnum() else "own"

    def headline(self) -> tuple[Row, ...]:
        return (
            Row(
                f"{self.variant}: 99th percentile of acknowledgements of {self.acknowledged:,} records",
                f"{self.p99:.3f} s",
                "the profile's thresholds",
                self.passed,
            ),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = (
            ("stored", f"{self.stored:,}"),
            ("refused", f"{self.refused:,}"),
            ("uncertain", f"{self.uncertain:,}"),
            ("median", f"{self.p50:.3f} s"),
            ("sender late at most", f"{self.behind:.2f} s"),
            *(("missed", sentence) for sentence in self.missed),
        )
        return (Table(f"Profile {self.variant}", ("", ""), lines),)
