"""Tests of the answers and losses that an outage report permits, for each service that can be down."""

import json

import pytest

from loadtest.outage.study import Answers, OutageReport


def report(service: str, statuses: dict[int, int], unclear: int = 0, lost: int = 0, doubled: int = 0) -> OutageReport:
    answers = Answers(statuses=statuses, without_retry_after=unclear, slowest_seconds=1.5)
    return OutageReport(
        service=service, seconds=60.0, rate=200, logged=500, answers=answers, drained_after=12.0, lost=lost,
        doubled=doubled,
    )  # fmt: skip


@pytest.mark.parametrize(
    "good",
    [
        report("clickhouse", {200: 4}),
        report("kafka", {200: 4, 503: 2}),
        # An application that retries after a 503 cannot know whether its first request reached Kafka.
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
    """Tests that a run fails for losses, answers or duplicates that the contract does not permit."""
    assert not bad.passed


def test_statuses_are_counted_by_number() -> None:
    """Tests that the report's JSON counts answers by HTTP status."""
    stored = json.loads(report("kafka", {200: 4, 503: 2}).model_dump_json())

    assert stored["answers"] == {"statuses": {"200": 4, "503": 2}, "without_retry_after": 0, "slowest_seconds": 1.5}
    assert (stored["passed"], stored["lost"], stored["drained_after"]) == (True, 0, 12.0)
