"""What an outage test found, as a value and as JSON."""

from dataclasses import dataclass

import httpx2

from loadtest.outage.probe import Answers
from loadtest.services import CLICKHOUSE
from loadtest.verdict import Verdict
from loadtest.verdict import plain as plain_verdict


@dataclass(frozen=True, slots=True)
class OutageReport:
    """`drained_after` counts from the end of the outage until the loader had caught up, in seconds."""

    service: str
    seconds: float
    rate: int
    logged: int
    answers: Answers
    drained_after: float
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Nothing lost; without Kafka refusals that say when to retry, without ClickHouse no refusal at all.

        A record may be there twice without Kafka: an application that tries again after a 503 cannot know whether its
        first try had reached Kafka.
        """
        statuses = self.answers.statuses
        if self.verdict.difference.lost:
            return False
        if self.service == CLICKHOUSE:
            return self.verdict.difference.nothing and set(statuses) == {httpx2.codes.OK}
        refused = statuses[httpx2.codes.SERVICE_UNAVAILABLE]
        return refused > 0 and set(statuses) <= {200, 503} and self.answers.without_retry_after == 0


def plain(report: OutageReport) -> dict[str, object]:
    """For JSON."""
    return {
        "passed": report.passed,
        "service": report.service,
        "seconds": report.seconds,
        "rate": report.rate,
        "logged": report.logged,
        "answers": {
            "statuses": dict(report.answers.statuses),
            "without_retry_after": report.answers.without_retry_after,
            "slowest_seconds": report.answers.slowest_seconds,
        },
        "drained_after": report.drained_after,
        **plain_verdict(report.verdict),
    }
