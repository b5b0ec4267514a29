"""Declares `logsieve loadtest outage`: its options, results and goals."""

from typing import Annotated, ClassVar, Final

import typer
from pydantic import Field

from loadtest.bench import Bench
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table, at_most, none_of
from loadtest.study import Study

LONGEST_PAUSE_SECONDS: Final = 10
"""Longest pause of acknowledgements that senders may notice when one of three brokers fails, in seconds. Exporters of
OpenTelemetry wait as long for an answer, so that none has to repeat a request."""


class Answers(Part):
    """The receiver's answers to requests that a probe sends at fixed intervals."""

    statuses: dict[int, int] = Field(default_factory=dict)
    """Number of answers by HTTP status. 0 stands for a request without an answer."""
    without_retry_after: int = 0
    """Number of refusals without Retry-After."""
    slowest_seconds: float = 0.0


class BrokerKill(Part):
    """Effect of the death of one of three brokers on senders."""

    broker: int
    led: int
    """Partitions of the log topic that the broker led."""
    longest_pause: float
    """Longest time in seconds in which a partition had no acknowledgement, until the broker was back."""
    refused: int = 0
    """Requests that were not acknowledged, until the next broker was killed."""
    in_sync_after: float
    """Seconds from the end of the outage until every replica was in sync again."""


class OutageReport(Report, Correctness):
    amounts: ClassVar[tuple[str, ...]] = ("seconds",)
    service: str
    seconds: float
    rate: int = 0
    logged: int
    answers: Answers = Field(default_factory=Answers)
    drained_after: float = 0.0
    """Seconds from the end of the outage until as many records were searchable as the application had logged by then.
    Not measured with three brokers, like `answers`."""
    pause_before: float = 0.0
    """Longest pause of acknowledgements, in seconds, before the first of three brokers was killed."""
    refused_before: int = 0
    """Requests that were not acknowledged before the first of three brokers was killed."""
    kills: tuple[BrokerKill, ...] = ()

    @property
    def variant(self) -> str:
        return self.service

    @property
    def is_as_guaranteed(self) -> bool:
        """True if no record was lost or foreign, and the receiver's answers kept the contract.

        While Kafka is down, there must be refusals with 503, all with Retry-After. A record may then be stored twice,
        because an application that repeats a request after a 503 cannot know whether the first one reached Kafka. While
        ClickHouse is down, there must be no refusal, and no record may be stored twice.
        """
        statuses = {status for status, times in self.answers.statuses.items() if times}
        if self.lost or self.foreign:
            return False
        if self.service == "clickhouse":
            return self.wrong == 0 and statuses == {200}
        return 503 in statuses and statuses <= {200, 503} and self.answers.without_retry_after == 0

    def headline(self) -> tuple[Row, ...]:
        if self.kills:
            each = f"each of {len(self.kills)} brokers down for {self.seconds:g} s"
            refused = self.refused_before + sum(kill.refused for kill in self.kills)
            return (
                self.row(f"{each}: lost or doubled of {self.logged:,} records"),
                at_most(
                    f"{each}: longest pause of acknowledgements in a partition",
                    max(kill.longest_pause for kill in self.kills),
                    LONGEST_PAUSE_SECONDS,
                    ".1f",
                    " s",
                ),
                none_of(f"{each}: refused requests", refused),
            )
        what = f"{self.service} down for {self.seconds:g} s"
        return (
            Row(f"{what}: lost of {self.logged:,} records", f"{self.lost:,}", "0", self.is_as_guaranteed),
            Row(f"{what}: everything searchable after", f"{self.drained_after:.1f} s"),
        )

    def tables(self) -> tuple[Table, ...]:
        if self.kills:
            return (self._kills(),)
        answers = [(f"answers {status}", f"{times:,}") for status, times in sorted(self.answers.statuses.items())]
        lines = (
            *answers,
            ("refusals without Retry-After", f"{self.answers.without_retry_after:,}"),
            ("slowest answer", f"{self.answers.slowest_seconds:.2f} s"),
            ("records that are stored twice", f"{self.doubled:,}"),
            *([("records of a tenant that never sent them", f"{self.foreign:,}")] if self.foreign else []),
        )
        return (Table(f"Without {self.service}", ("", ""), lines),)

    def _kills(self) -> Table:
        head = ("killed", "leads partitions", "longest pause, s", "refused requests", "in sync again after, s")
        lines = [
            (
                f"broker {kill.broker}",
                f"{kill.led}",
                f"{kill.longest_pause:.1f}",
                f"{kill.refused}",
                f"{kill.in_sync_after:.1f}",
            )
            for kill in self.kills
        ]
        refused = f"{self.refused_before}" if self.refused_before else ""
        none = ("none, before", "", f"{self.pause_before:.1f}", refused, "")
        return Table(f"Three brokers, {self.rate:,} records a second", head, (none, *lines))


def run(
    bench: Bench,
    service: Annotated[
        str, typer.Argument(help="Service to stop: kafka, clickhouse, or broker: each of three brokers in turn.")
    ],
    seconds: Annotated[float, typer.Option(min=1, help="Seconds of the outage.")] = 60,
    rate: Annotated[
        int, typer.Option(min=1, help="Records per second that an application logs during the outage.")
    ] = 200,
) -> OutageReport:
    """Stop Kafka, one of its brokers or ClickHouse under load; applications that retry must lose nothing."""
    from loadtest.outage.brokers import BROKER, BROKERS, run_brokers
    from loadtest.outage.run import SERVICES, run_outage
    from loadtest.own_stack import ONE_NODE, needed
    from loadtest.services import KAFKA

    if service not in (*SERVICES, BROKER):
        raise typer.BadParameter(f"{service!r} cannot be kept down; these can: {', '.join((*SERVICES, BROKER))}")
    brokers = {BROKER: BROKERS, KAFKA: 1}
    settings = needed({"LOGSIEVE_KAFKA_NODES": str(brokers[service])} if service in brokers else ONE_NODE)
    with bench.stack("receiver", "loader", settings=settings) as stack:
        if service == BROKER:
            report = run_brokers(bench, stack, seconds, rate)
        else:
            report = run_outage(bench, stack, service, seconds, rate)
        if not report.passed:
            stack.kept = True
    return report


STUDY: Final = Study(
    "outage", "A service that stays down", OutageReport, run, smoke=("clickhouse", "--seconds", "3", "--rate", "50")
)
