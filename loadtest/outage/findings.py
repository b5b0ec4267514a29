"""An outage's result: what applications lost, and how soon everything was searchable."""

from loadtest.outage.probe import Answers
from loadtest.report.findings import Correctness, Findings, Row, Table


class OutageFindings(Findings, Correctness):
    service: str
    seconds: float
    logged: int
    answers: Answers
    drained_after: float

    @property
    def variant(self) -> str:
        return self.service

    def headline(self) -> tuple[Row, ...]:
        away = f"{self.service} away for {self.seconds:g} s"
        return (
            Row(f"{away}: lost of {self.logged:,} records", f"{self.lost:,}", "0", self.passed),
            Row(f"{away}: everything searchable after", f"{self.drained_after:.1f} s"),
        )

    def tables(self) -> tuple[Table, ...]:
        answers = [(f"answers {status}", f"{times:,}") for status, times in sorted(self.answers.statuses.items())]
        lines = (
            *answers,
            ("refusals that do not say when to retry", f"{self.answers.without_retry_after:,}"),
            ("slowest answer", f"{self.answers.slowest_seconds:.2f} s"),
            ("kept twice", f"{self.doubled:,}"),
        )
        return (Table(f"Without {self.service}", ("", ""), lines),)
