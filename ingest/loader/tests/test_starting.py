"""Tests of when assigned partitions start, with a fake of Kafka's client that has its rules."""

from typing import Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, TopicPartition

from ingest.committed.intent import IntendedRange
from ingest.loader import starting
from ingest.loader.positions import PositionReader, Start
from ingest.loader.starting import RETRY_SECONDS, SEEKS, StartingPartitions
from ingest.loader.tests.assigning_consumer import EPOCH, NO_LEADER, AssigningConsumer
from kit import metrics
from kit.clock import ManualClock
from kit.errors import Internal
from kit.settings import Settings
from schema.coordinates import LogPosition, TopicId

COMMITTED = LogPosition(5, EPOCH)


class Starting:
    """Partitions that start, with the fakes around them. `started` has their numbers in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(starting, "SEEK_SECONDS", 0.0)
        self.consumer = AssigningConsumer()
        self.consumer.answer_instead_of_kafka(monkeypatch)
        self.clock = ManualClock()
        self.starts: list[Start] = []
        self.problems: dict[int, str | None] = {}
        client: Any = self.consumer
        self.partitions = StartingPartitions(
            client, PositionReader(Settings()), self.starts.extend, self.problems.__setitem__, self.clock
        )

    @property
    def started(self) -> list[int]:
        return [each.partition for each in self.starts]

    def assign(self, *numbers: int) -> None:
        before = self.consumer.calls
        self.partitions.assigned([TopicPartition("logs", each) for each in numbers])
        assert self.consumer.calls > before, "confluent_kafka would assign all partitions itself"

    def revoke(self, *numbers: int) -> None:
        before = self.consumer.calls
        self.partitions.revoked([TopicPartition("logs", each) for each in numbers])
        assert self.consumer.calls > before, "confluent_kafka would unassign all partitions itself"

    def retry(self) -> None:
        self.clock.advance(RETRY_SECONDS)
        self.partitions.retry()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Starting:
    return Starting(monkeypatch)


def test_a_partition_without_a_leader_does_not_keep_back_the_others(made: Starting) -> None:
    made.consumer.leaderless = {1}
    assigned_at = made.clock.monotonic()
    made.assign(0, 1, 2)
    assert made.started == [0, 2]
    assert made.consumer.assigned == {0: COMMITTED, 2: COMMITTED}
    assert made.problems == {0: None, 1: f"Kafka does not say where to continue: {NO_LEADER}", 2: None}
    assert made.partitions.waiting == {1}

    made.retry()
    assert made.started == [0, 2]

    made.consumer.leaderless = set()
    made.consumer.committed_at[1] = LogPosition(7, EPOCH)
    made.retry()
    assert made.started == [0, 2, 1]
    assert made.consumer.assigned[1] == LogPosition(7, EPOCH), "its position is read when it starts"
    assert made.problems == {0: None, 1: None, 2: None}
    assert [each.assigned_at for each in made.starts] == [assigned_at] * 3
    assert not made.partitions.waiting


def test_waiting_partitions_are_tried_after_pauses(made: Starting) -> None:
    made.consumer.leaderless = {1}
    made.assign(1)
    for _ in range(3):
        made.clock.advance(RETRY_SECONDS / 4)
        made.partitions.retry()
    assert made.consumer.requested == 1
    made.retry()
    assert made.consumer.requested == 2


def test_the_gauge_of_the_lag_shows_since_when_a_partition_waits(
    made: Starting, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[float, dict[str, str]]] = []

    class Gauge:
        def set(self, amount: float, labels: dict[str, str]) -> None:
            shown.append((amount, labels))

    monkeypatch.setattr(metrics, "gauge", lambda metric: {metrics.LOADER_LAG_SECONDS: Gauge()}[metric])
    made.consumer.leaderless = {1}
    made.assign(0, 1)
    made.clock.advance(4)
    made.partitions.retry()
    assert shown == [(4.0, {"partition": "1"})]


def test_no_partition_starts_without_an_answer_and_all_start_with_one(made: Starting) -> None:
    made.consumer.is_unreachable = True
    made.assign(0, 1)
    assert not made.consumer.assigned
    assert made.partitions.waiting == {0, 1}
    made.consumer.is_unreachable = False
    made.retry()
    assert made.started == [0, 1]


def test_a_waiting_partition_that_is_revoked_is_forgotten(made: Starting) -> None:
    made.consumer.leaderless = {1, 2}
    made.assign(0, 1, 2)
    made.revoke(0, 1)
    assert not made.consumer.assigned
    made.consumer.leaderless = set()
    made.retry()
    assert made.started == [0, 2]
    made.revoke(2)
    made.retry()
    assert made.started == [0, 2]
    made.assign(1)
    assert made.started == [0, 2, 1]


def test_a_partition_that_cannot_be_compared_waits_and_does_not_keep_back_the_others(made: Starting) -> None:
    made.consumer.idle = {1}
    made.assign(0, 1, 2)
    assert made.started == [0, 2]
    assert len(made.consumer.sought) == SEEKS + 2
    assert made.partitions.waiting == {1}
    assert made.problems[1] is not None

    made.consumer.idle, made.consumer.sought = set(), []
    made.consumer.ends[1] = 0
    made.retry()
    assert made.started == [0, 2, 1]
    assert made.consumer.sought == [(1, LogPosition(0, EPOCH))], "the client goes back to what was read last"
    made.revoke(0, 1, 2)
    assert not made.consumer.assigned


def test_a_partition_that_cannot_be_compared_and_is_revoked_is_unassigned(made: Starting) -> None:
    made.consumer.idle = {1}
    made.assign(1)
    made.revoke(1)
    assert not made.consumer.assigned
    assert not made.partitions.waiting


def test_a_partition_does_not_start_after_its_end_and_the_broker_compares_its_leader_epoch(made: Starting) -> None:
    made.consumer.committed_at = {0: LogPosition(9, EPOCH), 1: LogPosition(-1001)}
    made.consumer.ends = {0: 5}
    made.assign(0, 1)
    assert made.consumer.assigned == {0: LogPosition(5, EPOCH), 1: LogPosition(OFFSET_BEGINNING)}
    assert made.consumer.sought == [(0, LogPosition(5, EPOCH))]
    assert [each.position.start for each in made.starts] == [9, None], "what was committed stays known"


@pytest.mark.parametrize(
    ("end", "leader_epoch", "lost_from"),
    [(7, EPOCH + 1, 7), (5, EPOCH + 1, 5), (8, EPOCH + 1, None), (9, EPOCH + 1, None), (7, EPOCH, None)],
)
def test_a_later_leader_shows_that_the_rest_of_an_intended_range_is_lost(
    made: Starting, end: int, leader_epoch: int, lost_from: int | None
) -> None:
    made.consumer.intended_end, made.consumer.ends, made.consumer.leader_epoch = 8, {0: end}, leader_epoch
    made.assign(0)
    [start] = made.starts
    assert start.position.intended == IntendedRange(8, EPOCH, lost_from=lost_from)


def test_a_topic_that_was_created_again_ends_the_loader(made: Starting) -> None:
    made.consumer.leaderless = {1}
    made.assign(0, 1)
    made.consumer.leaderless = set()
    made.consumer.topic = TopicId("f" * 32)
    with pytest.raises(Internal, match="created again"):
        made.retry()
    assert made.started == [0]
