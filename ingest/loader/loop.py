"""The loader's main loop. One thread polls and decodes messages; one thread per partition delivers batches."""

from functools import partial

import structlog
from confluent_kafka import Message

from ingest.loader.batch import BatchLimits, DecodedMessage
from ingest.loader.claim import Abandoned, Claim
from ingest.loader.commits import CommitQueue
from ingest.loader.consume import TopicConsumer
from ingest.loader.dead_letters import DeadLetterProducer
from ingest.loader.decode import decode_or_dead_letter
from ingest.loader.deliver import Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.failure_rate import FailureRate
from ingest.loader.insert import Inserter
from ingest.loader.insert_limit_letters import InsertLimitLetters
from ingest.loader.partition import INBOX_BYTES, OwnedPartition, continuing
from ingest.loader.partition_buffer import PartitionBuffer
from ingest.loader.positions import Start
from ingest.loader.reread import read_message
from ingest.loader.standstill import STANDSTILL_SECONDS, StandstillWatch
from ingest.loader.state import LoaderState
from ingest.loader.tenant_shards import tenant_shards
from ingest.loader.topic_watch import TopicWatch, topic_created_again
from ingest.word_index.late_index import LateIndex
from kit import metrics
from kit.clock import Clock
from kit.errors import Internal
from kit.settings import Settings
from schema.coordinates import LogPosition
from schema.dead_letter import DeadLetter
from schema.kafka_message import leader_epoch_of
from schema.shards import shard_of
from schema.topic import TopicIdReader

log = structlog.get_logger()

IDLE_SECONDS = 0.25
"""Longest wait for a message while no partition has messages, in seconds. Bounds how late an idle loop notices a stop
request. A message ends the wait."""

POLL_SECONDS = 0.05
"""Seconds in which one poll collects messages while a batch is open. Bounds how late the loop notices a due batch."""

SHORT_POLL_SECONDS = 0.01
"""Seconds in which one poll collects messages while batches are being delivered. Their commits wait for it."""

TOPIC_SECONDS = 5.0
"""Longest wait of one try to read the topic's id, in seconds. Deliveries wait for the id."""

LAG_SECONDS = 1.0
"""Seconds between two updates of the partitions' lag."""

MAX_PARTS = 100
"""Largest number of table partitions in one insert, unless a single message has more. It is ClickHouse's own default;
see docs/decisions/0007-what-clickhouse-remembers.md for the consequences."""


class Loader:
    """Moves the messages of the partitions that Kafka assigns to this process into ClickHouse until it must stop."""

    def __init__(
        self, settings: Settings, clock: Clock, state: LoaderState, late_index: LateIndex | None = None
    ) -> None:
        """With `late_index`, inserts may leave out the index on words, which `late_index` then builds."""
        self._clock = clock
        self._limits = BatchLimits(
            settings.loader_batch_rows, settings.loader_batch_bytes, settings.loader_batch_seconds, MAX_PARTS
        )
        self._memory = settings.loader_memory_bytes
        self._shards = settings.shards
        self._partitions: dict[int, OwnedPartition] = {}
        self._state = state
        self._standstill = StandstillWatch(clock)
        topic_ids = TopicIdReader(settings, TOPIC_SECONDS)
        self._watch = TopicWatch(topic_ids.read)
        self._failure_rate = FailureRate(settings)
        self._inserter = Inserter(settings, late_index)
        self._consumer = TopicConsumer(settings, self._assigned, self._revoked, state.report, clock)
        self._commits = CommitQueue(settings.kafka_topic, self._consumer.commit)
        refused = InsertLimitLetters(partial(read_message, settings))
        dead_letters = DeadLetterProducer(settings)
        shards = tenant_shards(settings)
        dependencies = Dependencies(
            self._commits, self._inserter, dead_letters, refused, state.report, topic_ids.read, shards
        )
        self._deliverer = Deliverer(dependencies, clock)
        self._lag_shown = clock.monotonic()

    def run(self) -> None:
        """Runs until `state.stopping` is set. Open batches are dropped then: their messages are still in Kafka.

        Raises Internal if Kafka ended this consumer or the process stood still; start the loader again then. Raises
        TooManyDeadLetters; a restart does not help then.
        """
        self._standstill.start()
        self._watch.start()
        try:
            while not self._state.stopping.is_set():
                self._run_once()
        finally:
            for number in list(self._partitions):
                self._revoked(number)
            self._commits.close()
            self._standstill.stop()
            self._watch.stop()
            self._consumer.close()
            self._inserter.close()

    def _run_once(self) -> None:
        self._commits.serve()
        arriving = self._arriving()
        self._standstill.polled()
        for message in arriving:
            number = message.partition()
            owned = None if number is None else self._partitions.get(number)
            # A partition that was revoked during the fetch belongs to the next owner, who reads the message.
            if owned is not None:
                owned.receive(message)
        if self._standstill.stood_still:
            raise Internal(
                f"the loader stood still for more than {STANDSTILL_SECONDS:g} s, so another loader may own its "
                "partitions; this loader ends and must be started again"
            )
        if self._partitions and self._watch.seen not in (None, self._consumer.topic):
            raise topic_created_again()
        held_back = self._held_back()
        for partition in list(self._partitions.values()):
            self._advance(partition, partition.number not in held_back)
        overfull = {
            each.number for each in self._partitions.values() if each.blocked and each.inbox_bytes > INBOX_BYTES
        }
        self._consumer.pause_only(held_back | overfull)
        self._state.keep_only(self._partitions.keys() | self._consumer.waiting)
        self._show_lag()

    def _arriving(self) -> list[Message]:
        """Returns the next messages, after waiting for them as long as the batches allow."""
        every = self._partitions.values()
        if any(each.delivery is not None for each in every):
            return self._consumer.poll(SHORT_POLL_SECONDS)
        if any(each.buffer.open or each.inbox or each.next for each in every):
            return self._consumer.poll(POLL_SECONDS)
        return self._consumer.wait(IDLE_SECONDS)

    def _held_back(self) -> set[int]:
        """Returns the partitions that must take no more messages, because all partitions together hold too many
        bytes."""
        every = self._partitions.values()
        if sum(each.held_bytes for each in every) < self._memory:
            return set()
        return self._partitions.keys() - continuing(every)

    def _advance(self, partition: OwnedPartition, may_take: bool) -> None:
        if partition.delivery is not None and partition.delivery.outcome.done():
            self._delivered(partition)
        while may_take and (partition.next or partition.inbox) and self._take(partition):
            pass
        if partition.end is not None and not partition.inbox and partition.next is None:
            partition.buffer.ended(partition.end)
        if partition.delivery is None and partition.buffer.due():
            partition.start_delivery(self._deliverer, self._consumer.topic)

    def _take(self, partition: OwnedPartition) -> bool:
        """Moves one message into the batch. Returns whether another message may follow."""
        position, content = partition.next or self._decode(partition)
        partition.next = None
        if partition.buffer.full() or partition.buffer.ends_before(position, content):
            if partition.delivery is not None:
                partition.next = (position, content)
                return False
            partition.start_delivery(self._deliverer, self._consumer.topic)
        partition.buffer.add(position, content)
        return True

    def _decode(self, partition: OwnedPartition) -> tuple[LogPosition, DecodedMessage | DeadLetter]:
        message = partition.take_message()
        offset = message.offset()
        if offset is None:
            raise Internal("a message of Kafka has no offset")
        position = LogPosition(offset, leader_epoch_of(message))
        named = partition.buffer.arrived(position)
        content = decode_or_dead_letter(message, self._consumer.topic, partition.number, named)
        self._failure_rate.count(content)
        return position, content

    def _delivered(self, partition: OwnedPartition) -> None:
        """Handles the end of a delivery. Raises its error, unless the delivery ended because the claim did."""
        assert partition.delivery is not None
        batch, outcome = partition.delivery.batch, partition.delivery.outcome
        partition.delivery = None
        try:
            outcome.result()
        except Abandoned:
            log.info("batch abandoned", partition=partition.number, start=batch.offsets.start, end=batch.offsets.end)
            return
        if batch.oldest_received_at is not None:
            age = (self._clock.now_ns() - batch.oldest_received_at) / 1e9
            metrics.histogram(metrics.LOADER_FRESHNESS).record(max(age, 0.0))

    def _show_lag(self) -> None:
        if self._clock.monotonic() - self._lag_shown < LAG_SECONDS:
            return
        self._lag_shown = self._clock.monotonic()
        for partition in self._partitions.values():
            labels = {"partition": str(partition.number)}
            oldest = partition.oldest_received_at
            age = 0.0 if oldest is None else max((self._clock.now_ns() - oldest) / 1e9, 0.0)
            metrics.gauge(metrics.LOADER_LAG_SECONDS).set(age, labels)
            position = partition.position
            lag = None if position is None else self._consumer.lag(partition.number, position)
            if lag is not None:
                metrics.gauge(metrics.LOADER_LAG).set(lag, labels)

    def _assigned(self, start: Start) -> None:
        number = start.partition
        shard = shard_of(number, self._shards)
        buffer = PartitionBuffer(number, start.position, self._limits, self._clock, shard)
        self._partitions[number] = OwnedPartition(Claim(self._standstill, start.assigned_at), buffer)
        self._use_shards()

    def _revoked(self, number: int) -> None:
        partition = self._partitions.pop(number, None)
        if partition is not None:
            partition.claim.release()
        self._use_shards()
        self._state.report(number, None)
        labels = {"partition": str(number)}
        metrics.gauge(metrics.LOADER_LAG).set(0, labels)
        metrics.gauge(metrics.LOADER_LAG_SECONDS).set(0, labels)

    def _use_shards(self) -> None:
        every = self._partitions.values()
        self._inserter.use_only(frozenset[int]().union(*(each.buffer.shards for each in every)))
