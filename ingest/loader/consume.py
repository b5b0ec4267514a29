"""The loader's Kafka consumer: its partitions, their messages, and commits that carry the intent."""

import logging
import socket
from collections.abc import Callable, Set
from functools import partial

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from ingest.committed.intent import IntendedRange
from ingest.loader.loss import LossWatch, read_low_watermarks
from ingest.loader.positions import PositionReader, Start
from ingest.loader.starting import StartingPartitions
from kit.clock import Clock
from kit.errors import Internal
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.coordinates import TopicId

log = structlog.get_logger()

SESSION_SECONDS = 10
HEARTBEAT_SECONDS = 2
MESSAGES_AT_ONCE = 500


class TopicConsumer:
    """A member of the loaders' consumer group, for use by one thread. Assignments change only within `poll`."""

    def __init__(
        self,
        settings: Settings,
        on_assigned: Callable[[Start], None],
        on_revoked: Callable[[int], None],
        report: Callable[[int, str | None], None],
        clock: Clock,
    ) -> None:
        """`report` receives a partition and the reason why it is not loaded; None when it is loaded."""
        self._topic_name = settings.kafka_topic
        self._on_assigned = on_assigned
        self._on_revoked = on_revoked
        self._paused: set[int] = set()
        self._losses = LossWatch(partial(read_low_watermarks, settings))
        self._consumer = Consumer(_config(settings), logger=logging.getLogger("librdkafka"))
        self._starting = StartingPartitions(self._consumer, PositionReader(settings), self._started, report, clock)
        self._consumer.subscribe(
            [self._topic_name], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked
        )

    @property
    def topic(self) -> TopicId:
        """The topic's id. Known when the first partition has started."""
        return self._starting.topic

    @property
    def waiting(self) -> Set[int]:
        """The assigned partitions that have not started yet."""
        return self._starting.waiting

    def poll(self, seconds: float) -> list[Message]:
        """Returns the messages of the next `seconds`, or the first MESSAGES_AT_ONCE, in order within a partition.

        A message with the error _PARTITION_EOF says that its offset is the end of the partition at present.

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
        """Starts waiting partitions, and returns the consumed messages of the started ones. Raises Internal for a fatal
        error."""
        try:
            self._starting.retry()
            consumed = consume()
        except KafkaException as failure:
            raise Internal(f"Kafka ended this consumer: {failure.args[0].str()}") from failure
        messages: list[Message] = []
        for message in consumed:
            error = message.error()
            if error is None or error.code() == KafkaError._PARTITION_EOF:
                partition, offset = message.partition(), message.offset()
                # Kafka's client fetched the message before a seek, and fetches it again after the seek.
                if partition in self._starting.waiting:
                    continue
                if partition is not None and offset is not None:
                    note = self._losses.received if error is None else self._losses.ended
                    note(partition, offset)
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

    def _assigned(self, _consumer: Consumer, partitions: list[TopicPartition]) -> None:
        if partitions:
            self._starting.assigned(partitions)

    def _started(self, starts: list[Start]) -> None:
        self._losses.assigned({each.partition: each.position.start for each in starts})
        for each in starts:
            intended = each.position.intended or IntendedRange(end=0)
            log.info(
                "partition assigned",
                partition=each.partition,
                start=each.position.start,
                intended_end=intended.end or None,
                inserted=sorted(intended.inserted),
                split=sorted(intended.split),
                intended_shard=intended.shard,
            )
            self._on_assigned(each)

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # librdkafka keeps the pause of a partition that leaves, and would fetch nothing when it returns.
        if paused := [each for each in partitions if each.partition in self._paused]:
            consumer.resume(paused)
        for each in partitions:
            log.info("partition revoked", partition=each.partition)
            self._on_revoked(each.partition)
            self._paused.discard(each.partition)
        self._starting.revoked(partitions)


def _config(settings: Settings) -> dict[str, str | int | bool]:
    return {
        **kafka_connection(settings),
        "group.id": settings.consumer_group,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "earliest",
        # Without these events, nothing shows that only markers of transactions are between a message and the end.
        "enable.partition.eof": True,
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
