import threading
import time
from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from ingest.loader.claim import Abandoned, Claim
from ingest.loader.commits import CommitQueue
from ingest.loader.standstill import StandstillWatch
from kit.clock import ManualClock
from kit.errors import Unavailable
from schema.coordinates import LogPosition
from schema.kafka_message import position_of

POSITION = LogPosition(7, leader_epoch=2)


class Kafka:
    """Records the offsets that are committed in one request; `answer` is the result of the commit."""

    def __init__(
        self, answer: Callable[[list[TopicPartition]], list[TopicPartition]] = lambda requested: requested
    ) -> None:
        self.requests: list[list[tuple[int, LogPosition, str | None]]] = []
        self._answer = answer

    def commit(self, positions: list[TopicPartition]) -> list[TopicPartition]:
        self.requests.append([(each.partition, position_of(each), each.metadata) for each in positions])
        return self._answer(positions)


class Delivering(threading.Thread):
    """A thread that commits; keeps the result of the commit."""

    def __init__(self, queue: CommitQueue, claim: Claim, partition: int) -> None:
        super().__init__(daemon=True)
        self._arguments = queue, claim, partition
        self.error: Exception | None = None

    def run(self) -> None:
        queue, claim, partition = self._arguments
        try:
            queue.commit(claim, partition, POSITION, "why")
        except (Abandoned, Unavailable) as error:
            self.error = error


def new_claim() -> Claim:
    return Claim(StandstillWatch(ManualClock()), ManualClock().monotonic())


def serve(queue: CommitQueue, threads: list[Delivering]) -> None:
    for thread in threads:
        thread.start()
    wait_for_claims(queue, len(threads))
    queue.serve()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def wait_for_claims(queue: CommitQueue, count: int) -> None:
    deadline = time.monotonic() + 10
    while queue._waiting.qsize() < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_commits_of_several_partitions_go_together() -> None:
    kafka = Kafka()
    queue = CommitQueue("t", kafka.commit)
    threads = [Delivering(queue, new_claim(), partition) for partition in (0, 1)]
    serve(queue, threads)
    assert [sorted(request, key=str) for request in kafka.requests] == [[(0, POSITION, "why"), (1, POSITION, "why")]]
    assert [thread.error for thread in threads] == [None, None]


def test_a_partition_that_went_is_not_committed() -> None:
    kafka = Kafka()
    queue = CommitQueue("t", kafka.commit)
    released, kept = new_claim(), new_claim()
    released.release()
    threads = [Delivering(queue, released, 0), Delivering(queue, kept, 1)]
    serve(queue, threads)
    assert kafka.requests == [[(1, POSITION, "why")]]
    assert isinstance(threads[0].error, Abandoned)


def test_an_error_is_that_of_its_partition() -> None:
    def refuse_first(requested: list[TopicPartition]) -> list[TopicPartition]:
        refused = KafkaException(KafkaError(KafkaError.REBALANCE_IN_PROGRESS)).args[0]
        return [Answer(each.partition, refused if each.partition == 0 else None) for each in requested]  # type: ignore[misc]

    queue = CommitQueue("t", Kafka(refuse_first).commit)
    threads = [Delivering(queue, new_claim(), partition) for partition in (0, 1)]
    serve(queue, threads)
    assert isinstance(threads[0].error, Unavailable)
    assert threads[1].error is None


class Answer:
    """A TopicPartition with an error. Only the client can create a real one."""

    def __init__(self, partition: int, error: KafkaError | None) -> None:
        self.partition = partition
        self.error = error


def test_a_request_that_fails_fails_for_all() -> None:
    def fail(_requested: list[TopicPartition]) -> list[TopicPartition]:
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))

    queue = CommitQueue("t", Kafka(fail).commit)
    threads = [Delivering(queue, new_claim(), partition) for partition in (0, 1)]
    serve(queue, threads)
    assert all(isinstance(thread.error, Unavailable) for thread in threads)


def test_nothing_is_committed_after_the_end() -> None:
    kafka = Kafka()
    queue = CommitQueue("t", kafka.commit)
    waiting = Delivering(queue, new_claim(), 0)
    waiting.start()
    wait_for_claims(queue, 1)
    queue.close()
    waiting.join(10)
    assert isinstance(waiting.error, Abandoned)
    with pytest.raises(Abandoned):
        queue.commit(new_claim(), 0, LogPosition(7), "")
    assert kafka.requests == []
