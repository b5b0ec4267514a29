"""Tests of the answers and losses that an outage report permits, for each service that can be down."""

import pytest

from loadtest.outage.brokers import longest_pause, refusals
from loadtest.outage.study import LONGEST_PAUSE_SECONDS, Answers, BrokerKill, OutageReport
from loadtest.own_stack import Sender
from loadtest.traffic.scheduled_exports import Answered


def report(service: str, statuses: dict[int, int], unclear: int = 0, **wrong: int) -> OutageReport:
    answers = Answers(statuses=statuses, without_retry_after=unclear, slowest_seconds=1.5)
    found = OutageReport(service=service, seconds=60.0, rate=200, logged=500, answers=answers, drained_after=12.0)
    return found.model_copy(update=wrong)


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
        report("kafka", {200: 4, 503: 2}, foreign=1),
        report("kafka", {200: 4, 503: 2}, unclear=1),
        report("kafka", {200: 4, 503: 2, 0: 1}),
        report("kafka", {200: 4}),
    ],
)
def test_what_it_does_not_allow_fails(bad: OutageReport) -> None:
    """Tests that a run fails for losses, answers or duplicates that the contract does not permit."""
    assert not bad.passed


def killed(pause: float = 4.0, refused: int = 0, lost: int = 0, doubled: int = 0) -> OutageReport:
    kills = tuple(
        BrokerKill(
            broker=number, led=1, longest_pause=pause if number == 2 else 1.0, refused=refused, in_sync_after=5.0
        )
        for number in (1, 2, 3)
    )
    return OutageReport(
        service="broker", seconds=15.0, rate=200, logged=500, kills=kills, pause_before=0.2, lost=lost, doubled=doubled,
    )  # fmt: skip


def test_a_killed_broker_may_cost_a_pause_that_senders_wait_for_and_nothing_else() -> None:
    assert killed().passed
    for bad in (killed(pause=LONGEST_PAUSE_SECONDS + 1), killed(refused=1), killed(lost=1), killed(doubled=1)):
        assert not bad.passed


def test_each_refused_request_counts_however_late_its_answer() -> None:
    """Tests that requests count that were refused before the first kill, between kills, and after the last one."""
    found = killed()

    refused = found.model_copy(update=refusals(found.kills, [0, 1, 1, 4, 6]))

    assert (refused.refused_before, [kill.refused for kill in refused.kills]) == (1, [0, 3, 2])
    assert not refused.passed
    assert found.model_copy(update=refusals(found.kills, [0] * 5)).passed
    assert not found.model_copy(update=refusals(found.kills, [0, *[1] * 4])).passed


def test_a_pause_counts_for_the_partition_that_has_it_and_the_time_that_it_touches() -> None:
    first, second = (Sender(f"outage-{partition}", partition, 0, "") for partition in range(2))
    steady = [Answered(first, 0, 5, at / 10, at / 10) for at in range(300)]
    paused = [Answered(second, 0, 5, at / 10, at / 10) for at in (*range(100), *range(150, 300))]

    assert longest_pause([*steady, *paused], 0, 5) == pytest.approx(0.1)
    assert longest_pause([*steady, *paused], 12, 20) == pytest.approx(5.1)
    assert longest_pause([*steady, *paused], 20, 34.9) == pytest.approx(5.0)
    assert longest_pause([], 0, 1) == 0
