"""What applications may notice of an outage depends on the service that is away."""

import json
from collections import Counter

import pytest

from loadtest.comparison import Difference, Numbered
from loadtest.outage.probe import Answers
from loadtest.outage.report import OutageReport, plain
from loadtest.verdict import Verdict

ONE = (Numbered(1, 1),)


def report(service: str, statuses: dict[int, int], unclear: int = 0, lost: int = 0, doubled: int = 0) -> OutageReport:
    verdict = Verdict(Difference(ONE * lost, ONE * doubled, (), 0), (), (), ())
    return OutageReport(service, 60.0, 200, 500, Answers(Counter(statuses), unclear, 1.5), 12.0, verdict)


@pytest.mark.parametrize(
    "good",
    [
        report("clickhouse", {200: 4}),
        report("kafka", {200: 4, 503: 2}),
        # An application that tries again after a 503 cannot know whether its first try had reached Kafka.
        report("kafka", {200: 4, 503: 2}, doubled=1),
    ],
)
def test_what_the_contract_allows_passes(good: OutageReport) -> None:
    assert good.passed


@pytest.mark.parametrize(
    "bad",
    [
        report("clickhouse", {200: 4}, lost=1),
        report("clickhouse", {200: 4}, doubled=1),
        report("clickhouse", {200: 4, 503: 1}),
        report("kafka", {200: 4, 503: 2}, lost=1),
        report("kafka", {200: 4, 503: 2}, unclear=1),
        report("kafka", {200: 4, 503: 2, 0: 1}),
        report("kafka", {200: 4}),
    ],
)
def test_what_it_does_not_allow_fails(bad: OutageReport) -> None:
    assert not bad.passed


def test_statuses_are_told_by_number() -> None:
    told = json.loads(json.dumps(plain(report("kafka", {200: 4, 503: 2}))))

    assert told["answers"] == {"statuses": {"200": 4, "503": 2}, "without_retry_after": 0, "slowest_seconds": 1.5}
    assert (told["passed"], told["lost"], told["drained_after"]) == (True, 0, 12.0)
