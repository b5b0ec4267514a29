"""Lets delivering threads commit offsets through the polling thread.

Kafka accepts a commit from any member of the group for any partition, and its client delays commits of other threads
while it polls. So only the polling thread commits, between two polls. Partitions are revoked only within a poll, so
none is committed after it was revoked.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from ingest.loader.claim import Abandoned, Claim
from kit.errors import Unavailable
from schema.coordinates import LogPosition


@dataclass(frozen=True, slots=True)
class _Request:
    claim: Claim
    partition: int
    position: LogPosition
    metadata: str
    answer: "Future[None]" = field(default_factory=Future)


class CommitQueue:
    """Queue of commits. Any thread may call `commit`; only the polling thread calls the other methods. `send` commits
    offsets and waits for Kafka's answer."""

    def __init__(self, topic_name: str, send: Callable[[list[TopicPartition]], list[TopicPartition] | None]) -> None:
        self._topic_name = topic_name
        self._send = send
        self._waiting: SimpleQueue[_Request] = SimpleQueue()
        self._closed = False

    def commit(self, claim: Claim, partition: int, position: LogPosition, metadata: str) -> None:
        """Commits the offset with its leader epoch, and returns after Kafka has confirmed it.

        Raises Unavailable if Kafka did not confirm the commit (call again), Abandoned if the claim has ended.
        """
        if self._closed:
            raise Abandoned
        request = _Request(claim, partition, position, metadata)
        self._waiting.put(request)
        request.answer.result()

    def serve(self) -> None:
        """Commits the waiting offsets of all partitions in one request to Kafka. A partition has at most one waiting
        commit."""
        requests = [request for request in self._drain() if _is_held(request)]
        if not requests:
            return
        positions = [self._committed(each) for each in requests]
        try:
            answers = self._send(positions)
        except KafkaException as error:
            reason = error.args[0].str()
            for each in requests:
                each.answer.set_exception(Unavailable(f"offset was not committed: {reason}"))
            return
        errors: dict[int, KafkaError] = {each.partition: each.error for each in answers or () if each.error is not None}
        for each in requests:
            if each.partition in errors:
                reason = errors[each.partition].str()
                each.answer.set_exception(Unavailable(f"offset was not committed: {reason}"))
            else:
                each.answer.set_result(None)

    def close(self) -> None:
        """Refuses all further commits."""
        self._closed = True
        for request in self._drain():
            request.answer.set_exception(Abandoned())

    def _committed(self, request: _Request) -> TopicPartition:
        position = request.position
        return TopicPartition(
            self._topic_name, request.partition, position.offset, request.metadata, position.leader_epoch
        )

    def _drain(self) -> list[_Request]:
        requests = []
        while True:
            try:
                requests.append(self._waiting.get_nowait())
            except Empty:
                return requests


def _is_held(request: _Request) -> bool:
    try:
        request.claim.check()
    except Abandoned as end:
        request.answer.set_exception(end)
        return False
    return True
