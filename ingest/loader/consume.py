"""The loader's Kafka consumer: the assigned partitions, their start offsets, and commits that carry the intent."""

import logging
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import structlog
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from ingest.loader.intent import ResumePosition
from ingest.loader.loss import LossWatch, read_low_watermarks
from ingest.loader.standstill import StandstillWatch
from ingest.loader.topic_watch import topic_created_again
from kit.errors import Internal, Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.coordinates import UNKNOWN_EPOCH, TopicId
from schema.kafka_message import position_of
from schema.topic import read_topic_id

log = structlog.get_logger()

REQUEST_SECONDS = 10.0
RETRY_SECONDS = 1.0
SEEK_SECONDS = 0.05
SESSION_SECONDS = 10
HEARTBEAT_SECONDS = 2
MESSAGES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Assignment:
    """A newly assigned partition, and the position where it continues."""

    partition: int
    position: ResumePosition


class TopicConsumer:
    """A member of the loaders' consumer group, for use by one thread. Assignments change only within `poll`."""

    def __init__(
        self,
        settings: Settings,
        on_assigned: Callable[[Assignment], None],
        on_revoked: Callable[[int], None],
        stopping: threading.Event,
        standstill: StandstillWatch,
    ) -> None:
        self._settings = settings
        self._topic_name = settings.kafka_topic
        self._on_assigned = on_assigned
        self._on_revoked = on_revoked
        self._stopping = stopping
        self._standstill = standstill
        self._topic: TopicId | None = None
        self._paused: set[int] = set()
        self._losses = LossWatch(partial(read_low_watermarks, settings))
        self._consumer = Consumer(_config(settings), logger=logging.getLogger("librdkafka"))
        self._consumer.subscribe(
            [self._topic_name], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked
        )

    @property
    def topic(self) -> TopicId:
        """The topic's id. Known from the first assignment on."""
        if self._topic is None:
            raise Internal("no partition was assigned yet")
        return self._topic

    def poll(self, seconds: float) -> list[Message]:
        """Returns the messages of the next `seconds`, or the first MESSAGES_AT_ONCE, in order within a partition.

        Raises Internal if this member cannot continue (fenced, or the group uses another protocol).
        """
        return self._checked(lambda: self._consumer.consume(MESSAGES_AT_ONCE, timeout=seconds))

    def wait(self, seconds: float) -> list[Message]:
        """Like `poll`, but returns as soon as a message arrives, with the messages that arrived together with it."""

        def arrived() -> list[Message]:
            first = self._consumer.poll(seconds)
            return [] if first is None else [first, *self._consumer.consume(MESSAGES_AT_ONCE, timeout=0)]

        return self._checked(arrived)

    def _checked(self, consume: Callable[[], list[Message]]) -> list[Message]:
        """Returns the consumed messages without the errors among them. Raises Internal for a fatal one."""
        try:
            consumed = consume()
        except KafkaException as failure:
            raise Internal(f"Kafka ended this consumer: {failure.args[0].str()}") from failure
        messages: list[Message] = []
        for message in consumed:
            error = message.error()
            if error is None:
                partition, offset = message.partition(), message.offset()
                if partition is not None and offset is not None:
                    self._losses.received(partition, offset)
                messages.append(message)
            # A fatal error that arrives as a message has a code of its own, and its `fatal()` returns False.
            elif error.fatal() or error.code() == KafkaError._FATAL:
                raise Internal(f"Kafka ended this consumer: {error.str()}")
            else:
                log.warning("Kafka reported an error to the loader", reason=error.str())
        return messages

    def commit(self, positions: list[TopicPartition]) -> list[TopicPartition] | None:
        """Commits and waits for the answer, which may have an error for each partition. Raises KafkaException."""
        return self._consumer.commit(offsets=positions, asynchronous=False)

    def pause_only(self, partitions: set[int]) -> None:
        """Pauses these partitions and resumes all others. Continue to poll, so that this member stays in the group."""
        self._consumer.pause([TopicPartition(self._topic_name, each) for each in partitions - self._paused])
        self._consumer.resume([TopicPartition(self._topic_name, each) for each in self._paused - partitions])
        self._paused = partitions

    def lag(self, partition: int, position: int) -> int | None:
        """Returns the messages from `position` to the end of the partition, as of the last fetch; None before the first
        fetch."""
        _, high = self._consumer.get_watermark_offsets(TopicPartition(self._topic_name, partition), cached=True)
        return None if high < 0 else max(0, high - position)

    def close(self) -> None:
        """Closes the consumer. Its partitions wait one session timeout for this loader to return."""
        self._consumer.close()

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        if not partitions:
            return
        positions = self._read_positions(consumer, partitions)
        if positions is None:
            return
        topic, committed, ends = positions
        if self._topic not in (None, topic):
            raise topic_created_again()
        self._topic = topic
        read = [(each, ResumePosition.read(position_of(each), each.metadata, topic)) for each in committed]
        # Assigned explicitly, because the intents belong to the positions that are read here.
        starts = [_start(each, position, ends) for each, position in read]
        consumer.incremental_assign(starts)
        for start in starts:
            self._compare_epochs(consumer, start)
        self._losses.assigned({each.partition: position.start for each, position in read})
        for each, position in read:
            log.info(
                "partition assigned",
                partition=each.partition,
                start=position.start,
                intended_end=position.intended_end,
                inserted=sorted(position.inserted),
                split=sorted(position.split),
                intended_shard=position.shard,
            )
            self._on_assigned(Assignment(each.partition, position))

    def _compare_epochs(self, consumer: Consumer, start: TopicPartition) -> None:
        """Makes Kafka's client ask the broker whether other messages have replaced some before the start (KIP-320). If
        so, the client continues at the first of them. An assignment alone does not make the client ask, a seek does."""
        if start.offset <= 0 or position_of(start).leader_epoch == UNKNOWN_EPOCH:
            return
        while not (self._stopping.is_set() or self._standstill.stood_still):
            try:
                consumer.seek(start)
            except KafkaException as error:
                # The client has not begun to fetch the partition yet.
                log.debug("the start of a partition cannot be compared yet", reason=error.args[0].str())
                self._stopping.wait(SEEK_SECONDS)
            else:
                return

    def _read_positions(
        self, consumer: Consumer, partitions: list[TopicPartition]
    ) -> tuple[TopicId, list[TopicPartition], Mapping[int, int]] | None:
        """Returns the topic's id, the committed positions, and the end offset of each partition that has one.

        Retries until Kafka answers, because nothing may be consumed without the positions. Heartbeats continue
        meanwhile.

        Returns None if the process must stop first. Kafka may never answer a process that stood still; such a process
        ends.
        """
        while not (self._stopping.is_set() or self._standstill.stood_still):
            try:
                committed = consumer.committed(partitions, timeout=REQUEST_SECONDS)
                failed = [each.error.str() for each in committed if each.error is not None]
                if not failed:
                    started = [each for each in committed if each.offset >= 0]
                    ends = {each.partition: _end(consumer, each) for each in started}
                    return read_topic_id(self._settings), committed, ends
                log.warning("committed offsets cannot be read", reason=failed[0])
            except KafkaException as error:
                cause: KafkaError = error.args[0]
                log.warning("the positions of partitions cannot be read", reason=cause.str())
            except Unavailable as error:
                log.warning("the topic cannot be described", reason=error.detail)
            self._stopping.wait(RETRY_SECONDS)
        return None

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # librdkafka keeps the pause of a partition that leaves, and would fetch nothing when it returns.
        if paused := [each for each in partitions if each.partition in self._paused]:
            consumer.resume(paused)
        for each in partitions:
            log.info("partition revoked", partition=each.partition)
            self._on_revoked(each.partition)
            self._paused.discard(each.partition)
        consumer.incremental_unassign(partitions)


def _start(partition: TopicPartition, position: ResumePosition, ends: Mapping[int, int]) -> TopicPartition:
    """Returns the position to fetch from: the committed one, or the end of the partition if Kafka has lost more.

    Kafka's client would answer an offset after the end by starting at the first message.
    """
    if position.start is None:
        return TopicPartition(partition.topic, partition.partition, OFFSET_BEGINNING)
    offset = min(position.start, ends[partition.partition])
    return TopicPartition(partition.topic, partition.partition, offset, leader_epoch=position.start_epoch)


def _end(consumer: Consumer, partition: TopicPartition) -> int:
    _, end = consumer.get_watermark_offsets(partition, timeout=REQUEST_SECONDS)
    return end


def _config(settings: Settings) -> dict[str, str | int | bool]:
    return {
        **kafka_connection(settings),
        "group.id": settings.consumer_group,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "earliest",
        # If a member joins or leaves, only the partitions that must move are revoked. The others keep their open
        # batches. With an eager assignor, every deployment would discard all of them.
        "partition.assignment.strategy": "cooperative-sticky",
        # A loader that is restarted after a kill gets its partitions back immediately. If the old process still runs,
        # Kafka fences it. The operations port makes the name unique on its host.
        "group.instance.id": f"{socket.gethostname()}-{settings.port(settings.loader_port)}",
        # If a loader does not return, its partitions wait this long for another owner.
        "session.timeout.ms": SESSION_SECONDS * 1000,
        "heartbeat.interval.ms": HEARTBEAT_SECONDS * 1000,
        # Longest time between two polls. Decoding the messages of one poll takes less.
        "max.poll.interval.ms": 300_000,
        # A loader that is started before the topic exists finds the topic within this time after its creation.
        "topic.metadata.refresh.interval.ms": 10_000,
        # Longest wait of a fetch without messages. A message ends the wait.
        "fetch.wait.max.ms": 250,
        "fetch.max.bytes": 16 * 2**20,
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 2_000,
        # Largest size of messages that were fetched and not polled yet, of all partitions together.
        "queued.max.messages.kbytes": 64 * 1024,
    }
