"""Declares `logsieve loadtest outage`: its options, results and goals."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table
from loadtest.study import Study


class Answers(Part):
    """The receiver's answers to requests that a probe sends at fixed intervals."""

    statuses: dict[int, int]
    """Number of answers by HTTP status. 0 stands for a request without an answer."""
    without_retry_after: int = 0
    """Number of refusals without Retry-After."""
    slowest_seconds: float = 0.0


class OutageReport(Report, Correctness):
    service: str
    seconds: float
    rate: int = 0
    logged: int
    answers: Answers
    drained_after: float
    """Seconds from the end of the outage until the loader had caught up."""

    @property
    def variant(self) -> str:
        return self.service

    @property
    def is_as_guaranteed(self) -> bool:
        """True if no record was lost and the receiver's answers kept the contract.

        While Kafka is down, there must be refusals with 503, all with Retry-After. A record may then be stored twice,
        because an application that repeats a request after a 503 cannot know whether the first one reached Kafka. While
        ClickHouse is down, there must be no refusal, and no record may be stored twice.
        """
        statuses = {status for status, times in self.answers.statuses.items() if times}
        if self.lost:
            return False
        if self.service == "clickhouse":
            return self.wrong == 0 and statuses == {200}
        return 503 in statuses and statuses <= {200, 503} and self.answers.without_retry_after == 0

    def headline(self) -> tuple[Row, ...]:
        what = f"{self.service} away for {self.seconds:g} s"
        return (
            Row(f"{what}: lost of {self.logged:,} records", f"{self.lost:,}", "0", self.is_as_guaranteed),
            Row(f"{what}: everything searchable after", f"{self.drained_after:.1f} s"),
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


def run(
    bench: Bench,
    service: Annotated[str, typer.Argument(help="Service to stop: kafka or clickhouse.")],
    seconds: Annotated[float, typer.Option(min=1, help="Seconds of the outage.")] = 60,
    rate: Annotated[
        int, typer.Option(min=1, help="Records per second that an application logs during the outage.")
    ] = 200,
) -> OutageReport:
    """Stop Kafka or ClickHouse under load; applications that retry must lose nothing."""
    from loadtest.outage.run import SERVICES, run_outage

    if service not in SERVICES:
        raise typer.BadParameter(f"{service!r} cannot be kept down; these can: {', '.join(SERVICES)}")
    with bench.stack("receiver", "loader") as stack:
        report = run_outage(bench, stack, service, seconds, rate)
        if not report.passed:
            stack.keep()
    return report


STUDY: Final = Study(
    "outage", "A service that stays down", OutageReport, run, smoke=("clickhouse", "--seconds", "3", "--rate", "50")
)
